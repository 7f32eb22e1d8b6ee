import { Problem, type ProblemCode, problemCodes } from '../../problem/index.js';
import { CLIENT_LIMITS } from './limits.js';

/** What a status says when nothing else does: an older or newer server's code, or a proxy's page. */
const BY_STATUS: Readonly<Record<number, ProblemCode>> = {
  400: 'invalid-argument',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'route-not-found',
  413: 'too-large',
  415: 'unsupported-media-type',
  416: 'range-not-satisfiable',
  422: 'invalid-argument',
  429: 'rate-limited',
  502: 'unreachable',
  503: 'unreachable',
  504: 'node-timeout',
};

/**
 * An answer that is a failure as the `Problem` it was; reads its body. `details`: `errors` as sent, `retryAfterS` (seconds)
 * from `Retry-After`, `code` when it is none that is known here. `what` is the call, for people: `GET /api/node`.
 */
export async function problemOfAnswer(response: Response, what: string): Promise<Problem> {
  const text = await readText(response, CLIENT_LIMITS.problemMaxBytes);
  const details = retryAfter(response);
  const told = parseProblem(text);
  if (told === null)
    return new Problem(codeOfStatus(response.status), describe(response, what, text), { details });
  if (told.errors !== undefined) details.errors = told.errors;
  if (isCode(told.code)) return new Problem(told.code, told.detail, { details });
  details.code = told.code;
  return new Problem(codeOfStatus(response.status), told.detail, { details });
}

/** A success that is not what the route answers. Reads the beginning of its body. */
export async function notTheApi(response: Response, what: string): Promise<Problem> {
  const text = await readText(response, CLIENT_LIMITS.problemMaxBytes);
  return new Problem('internal', describe(response, what, text), { retryable: true });
}

/** A redirect: nothing of the API answers so, and following it would turn a POST into a GET. */
export function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

function describe(response: Response, what: string, text: string): string {
  const type = response.headers.get('content-type') ?? 'nothing said about its type';
  const status = isRedirect(response) ? 'a redirect' : `status ${response.status}`;
  const words = text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const max = CLIENT_LIMITS.quoteMaxCharacters;
  const quote = words.length > max ? `${words.slice(0, max)}…` : words;
  const said = quote === '' ? '' : `: “${quote}”`;
  return `${what} was answered by something that is not the API, with ${status} (${type})${said}. Check the address, and any proxy on the way to it.`;
}

function codeOfStatus(status: number): ProblemCode {
  return BY_STATUS[status] ?? 'internal';
}

function isCode(code: string): code is ProblemCode {
  return Object.hasOwn(problemCodes, code);
}

type Told = { code: string; detail: string; errors?: unknown };

function parseProblem(text: string): Told | null {
  const json = parseJson(text);
  if (typeof json !== 'object' || json === null) return null;
  const { code, detail, errors } = json as Record<string, unknown>;
  if (typeof code !== 'string' || typeof detail !== 'string') return null;
  return { code, detail, errors };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function retryAfter({ headers }: Response): Record<string, unknown> {
  const seconds = headers.get('retry-after')?.trim() ?? '';
  return /^\d{1,9}$/.test(seconds) ? { retryAfterS: Number(seconds) } : {};
}

/** The first `maxBytes` of a body; the rest is not waited for. */
async function readText({ body }: Response, maxBytes: number): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  while (bytes < maxBytes) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}
