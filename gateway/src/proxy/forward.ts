import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Principal, problemAnswer } from '@uncaged/protocol/http';
import {
  type CallOff,
  isNotStarted,
  type LinkBody,
  type LinkRequest,
  type LinkResponse,
} from '@uncaged/protocol/link';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import type { GatewayLimits } from '../limits.js';
import type { NodeLink } from '../links/index.js';
import { watchDeparture } from './departure.js';
import { answerParts, requestParts } from './headers.js';
import { createUpload, type Upload } from './upload.js';

export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  link: NodeLink;
  /** What the node is asked, with its query: as it stood in the request line. */
  path: string;
  /** On whose behalf; whatever the client says of that itself is dropped. */
  principal: Principal;
  limits: Pick<GatewayLimits, 'link' | 'uploadMaxBytes'>;
  /** Told the status of the node's answer before anything of it is sent. */
  onStatus?: ((status: number) => void) | undefined;
  /** The link that has taken the place of this one, for what the node has provably not begun. */
  relink?: (() => NodeLink | null) | undefined;
};

const EMPTY = new Uint8Array(0);
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;
const PACKS = /^\/api\/packs(?:\?|$)/;

/**
 * Carries one HTTP exchange over a link: the request as it comes, the answer as it comes, each no faster than its receiver
 * reads. What goes wrong before the head is answered as a problem; after it, the client's connection is broken off, so that
 * half of a body is never taken for the whole. A client that leaves calls the request off. Resolves when the exchange is
 * over, whichever way; rejects, with nothing sent, only with what is no `Problem`.
 */
export async function forward(exchange: Exchange): Promise<void> {
  const { request, response, link, onStatus } = exchange;
  if (response.closed || request.socket.destroyed) return;
  const { headers, hasBody, declaredBytes } = requestParts(request.rawHeaders, exchange.principal);
  const upload = hasBody ? createUpload(request) : null;
  const gone = watchDeparture(request, response);
  let answer: LinkResponse | null = null;
  try {
    const maxBodyBytes = uploadLimit(request.method, exchange);
    if (declaredBytes !== null && declaredBytes > maxBodyBytes) throw tooLarge(maxBodyBytes);
    answer = await ask(exchange, {
      method: request.method as LinkRequest['method'],
      path: exchange.path,
      headers,
      body: upload === null ? null : upload.source,
      signal: gone,
      maxBodyBytes,
    });
    onStatus?.(answer.status);
    const under = pass(answer, { request, response, upload, gone, node: link.name });
    if (under !== null) await under;
  } catch (error) {
    answer?.body?.cancel();
    if (response.headersSent) breakOff(response);
    if (!isProblem(error)) throw error;
    if (!response.headersSent && !gone.aborted) await refuse(response, error, upload);
  }
}

function uploadLimit(method: string | undefined, { path, limits }: Exchange): number {
  const isLarge = method === 'POST' && PACKS.test(path);
  return isLarge ? limits.uploadMaxBytes : limits.link.maxRequestBodyBytes;
}

async function ask({ link, relink }: Exchange, asked: LinkRequest): Promise<LinkResponse> {
  try {
    return await link.mux.request(asked);
  } catch (error) {
    // A body may be half read; a node that is busy is not asked twice.
    const again = asked.body === null && isNotStarted(error) && !isProblem(error, 'overloaded');
    const other = again ? (relink?.() ?? null) : null;
    if (other === null || other.mux === link.mux) throw error;
    return other.mux.request(asked);
  }
}

type Passage = {
  request: IncomingMessage;
  response: ServerResponse;
  upload: Upload | null;
  gone: CallOff;
  node: string;
};

/** What is whole at once leaves at once (null), in one write. Throws, or rejects with, what ends the answer early. */
function pass({ status, headers, body }: LinkResponse, passage: Passage): Promise<void> | null {
  const { request, response, upload, node } = passage;
  const { flat, declaredBytes } = answerParts(headers, node);
  if (upload !== null && !request.complete) flat.push('connection', 'close');
  if (request.method === 'HEAD' || status === NO_CONTENT || status === NOT_MODIFIED) {
    if (declaredBytes !== null && status !== NO_CONTENT)
      flat.push('content-length', String(declaredBytes));
    body?.cancel();
    response.writeHead(status, flat);
    return end(response, null, upload);
  }
  const whole = body === null ? EMPTY : body.takeRest();
  const length = whole === null ? declaredBytes : whole.byteLength;
  if (declaredBytes !== null && declaredBytes !== length) throw wrongLength(node);
  if (length !== null) flat.push('content-length', String(length));
  response.writeHead(status, flat);
  if (whole !== null) return end(response, whole, upload);
  response.flushHeaders();
  return stream(body!, declaredBytes, passage);
}

async function stream(
  body: LinkBody,
  declaredBytes: number | null,
  { response, upload, gone, node }: Passage,
): Promise<void> {
  let sent = 0;
  for (let chunk = await body.read(); chunk !== null; chunk = await body.read()) {
    sent += chunk.byteLength;
    // More than was said would be taken for the next answer on the connection.
    if (declaredBytes !== null && sent > declaredBytes) throw wrongLength(node);
    if (!response.write(chunk)) await drained(response, gone);
  }
  if (declaredBytes !== null && sent !== declaredBytes) throw wrongLength(node);
  await end(response, null, upload);
}

/** The client has taken what was written, or has left. */
function drained(response: ServerResponse, gone: CallOff): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      gone.removeEventListener('abort', done);
      resolve();
    };
    if (gone.aborted || !response.writableNeedDrain) return resolve();
    response.once('drain', done);
    gone.addEventListener('abort', done);
  });
}

/** A client that is still sending is heard for a while; it has the whole of an answer whose length the head says. */
function end(
  response: ServerResponse,
  bytes: Uint8Array | null,
  upload: Upload | null,
): Promise<void> | null {
  if (upload?.isUnread() !== true) {
    if (bytes === null) response.end();
    else response.end(bytes);
    return null;
  }
  if (bytes === null) response.flushHeaders();
  else response.write(bytes);
  return upload.linger().then(() => void response.end());
}

async function refuse(
  response: ServerResponse,
  problem: Problem,
  upload: Upload | null,
): Promise<void> {
  const { status, headers, body } = problemAnswer(problem);
  const bytes = Buffer.from(body);
  const head = ['content-length', String(bytes.byteLength), 'x-content-type-options', 'nosniff'];
  for (const [name, value] of Object.entries(headers)) head.push(name, value);
  if (upload !== null && !response.req.complete) head.push('connection', 'close');
  response.writeHead(status, head);
  await end(response, response.req.method === 'HEAD' ? null : bytes, upload);
}

/** What was sent must not look complete, also where the end of the connection is the end of the body (HTTP/1.0). */
function breakOff(response: ServerResponse): void {
  const { socket, req } = response;
  if (req.httpVersion === '1.0' && socket !== null && !('encrypted' in socket))
    socket.resetAndDestroy();
  response.destroy();
}

function wrongLength(node: string): Problem {
  return new Problem(
    'node-failed',
    `The body of the answer from ${node} is not as long as its content-length says. Try again.`,
  );
}

function tooLarge(maxBytes: number): Problem {
  return new Problem(
    'too-large',
    `The body of the request is larger than ${maxBytes} bytes, the most that is taken here. Send less.`,
  );
}
