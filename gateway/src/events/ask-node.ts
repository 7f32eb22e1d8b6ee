import { createSseParser, type SseMessage } from '@uncaged/protocol/api';
import { formatPrincipal, PRINCIPAL_HEADER } from '@uncaged/protocol/http';
import type { LinkBody, LinkHeaders } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import type { z } from 'zod';
import type { NodeLink } from '../links/index.js';

/** Where on a node something is asked for, and until when. */
type Question = { link: NodeLink; path: string; signal: AbortSignal };

const OK = 200;

/** The gateway asks for itself here, not for somebody who is logged in. */
const PRINCIPAL: LinkHeaders[number] = [
  PRINCIPAL_HEADER,
  formatPrincipal({ role: 'viewer', name: 'gateway' }),
];

/**
 * Events of a node's stream as they come, one array for each piece that arrived, until it ends. Throws what
 * `GatewayMux.request` does, `node-failed` for an answer that is no stream, `too-large`. Leaving the loop ends the stream.
 */
export async function* readEvents(
  question: Question,
  maxEventChars: number,
): AsyncGenerator<SseMessage[], void, void> {
  const body = await open(question, 'text/event-stream');
  const parser = createSseParser(maxEventChars);
  for await (const bytes of body) {
    const events = parser.push(bytes);
    if (events.length > 0) yield events;
  }
}

/** A JSON answer. Throws as `readEvents`, and `node-failed` when it does not match the schema. */
export async function askJson<T extends z.ZodType>(
  question: Question,
  schema: T,
  maxBytes: number,
): Promise<z.infer<T>> {
  const body = await open(question, 'application/json');
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of body) {
    parts.push(bytes);
    size += bytes.byteLength;
    if (size > maxBytes) throw failed(question, `has more than ${maxBytes} bytes`);
  }
  let json: unknown;
  try {
    json = JSON.parse(Buffer.concat(parts).toString());
  } catch (cause) {
    throw failed(question, 'is not JSON', cause);
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw failed(question, 'has a wrong shape', parsed.error);
  return parsed.data;
}

async function open(question: Question, accept: string): Promise<LinkBody> {
  const { link, path, signal } = question;
  const { status, body } = await link.mux.request({
    method: 'GET',
    path,
    headers: [PRINCIPAL, ['accept', accept]],
    body: null,
    signal,
  });
  if (status === OK && body !== null) return body;
  body?.cancel();
  throw failed(question, `has the status ${status}${body === null ? ' and no body' : ''}`);
}

function failed({ path }: Question, how: string, cause?: unknown): Problem {
  return new Problem('node-failed', `The node's answer to GET ${path} ${how}.`, { cause });
}
