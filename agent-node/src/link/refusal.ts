import type { IncomingMessage } from 'node:http';
import type { LinkClock } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import { type NodeLinkLimits, REFUSAL_MAX_CHARACTERS } from './limits.js';

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const PROXY_LOGIN = 407;
const TOO_MANY = 429;
const UNAVAILABLE = 503;
const SECOND_MS = 1000;

type RefusalLimits = Pick<NodeLinkLimits, 'refusalMs' | 'refusalMaxBytes' | 'retryAfterMaxMs'>;

/**
 * What an answer that is no WebSocket means: `unauthorized` and `forbidden` are final, all else is tried again, with
 * `details.retryAfterMs` where the gateway says when.
 */
export async function refusalOf(
  response: IncomingMessage,
  where: string,
  limits: RefusalLimits,
  clock: LinkClock,
): Promise<Problem> {
  const status = response.statusCode ?? 0;
  const detail = await readDetail(response, limits, clock);
  const says = detail === '' ? '' : ` It says: ${detail}`;
  switch (status) {
    case UNAUTHORIZED:
      return new Problem(
        'unauthorized',
        `The gateway at ${where} does not take the token of this node.${says} Give it a token the gateway has signed for this node.`,
      );
    case FORBIDDEN:
      return new Problem('forbidden', `The gateway at ${where} does not let this node in.${says}`);
    case TOO_MANY:
    case UNAVAILABLE: {
      const retryAfterMs = retryAfter(response.headers['retry-after'], limits.retryAfterMaxMs);
      return new Problem(
        status === TOO_MANY ? 'rate-limited' : 'unreachable',
        `The gateway at ${where} takes no more nodes just now (${status}).${says}`,
        { details: retryAfterMs === null ? {} : { retryAfterMs } },
      );
    }
    case NOT_FOUND:
      return new Problem(
        'unreachable',
        `${where} answers 404: there is no gateway under this address. Check the path of --gateway.${says}`,
      );
    default:
      return new Problem(
        'unreachable',
        `${where} answers ${status}, not as a gateway does. Check --gateway, and that a proxy in between lets WebSockets through.${says}`,
      );
  }
}

/** What a proxy says to CONNECT is not the word of the gateway, so it is never final. */
export function refusalOfProxy(status: number, proxy: string): Problem {
  const why =
    status === PROXY_LOGIN
      ? 'asks for a name and a password. Put them into the URL of the proxy variable'
      : `answers ${status}. Name the gateway in NO_PROXY to go around it`;
  return new Problem(
    'unreachable',
    `The proxy ${proxy} does not let this node through: it ${why}.`,
  );
}

/** Milliseconds of a Retry-After (RFC 9110, 10.2.3: seconds or a date); null when there is none that makes sense. */
export function retryAfter(
  value: string | undefined,
  maxMs: number,
  now = Date.now(),
): number | null {
  if (value === undefined) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * SECOND_MS : Date.parse(value) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), maxMs);
}

/** The `detail` of a problem document, or the beginning of a plain text; '' where there is neither. */
async function readDetail(
  response: IncomingMessage,
  { refusalMs, refusalMaxBytes }: RefusalLimits,
  clock: LinkClock,
): Promise<string> {
  const callOff = clock.after(refusalMs, () => response.destroy());
  let text: string;
  try {
    text = await readText(response, refusalMaxBytes);
  } finally {
    callOff();
    response.destroy();
  }
  const type = response.headers['content-type'] ?? '';
  if (/^text\/plain\b/i.test(type)) return shorten(text);
  if (!/^application\/(problem\+)?json\b/i.test(type)) return '';
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    return typeof detail === 'string' ? shorten(detail) : '';
  } catch (error) {
    // Cut short, or no JSON (null has no `detail`): the status says enough.
    if (error instanceof SyntaxError || error instanceof TypeError) return '';
    throw error;
  }
}

/** As much as comes before the limit or a cut. */
function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > maxBytes) response.destroy();
    });
    // 'close' follows.
    response.on('error', () => undefined);
    response.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

function shorten(text: string): string {
  return text.trim().slice(0, REFUSAL_MAX_CHARACTERS);
}
