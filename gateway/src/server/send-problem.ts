import type { ServerResponse } from 'node:http';
import { problemAnswer } from '@uncaged/protocol/http';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import { nanoid } from 'nanoid';
import type { Log } from '../log.js';
import { createUpload } from '../proxy/index.js';

const SERVER_FAULT = 500;

/** The one place where a failure becomes a problem of the gateway. What nobody expected goes to the log under an id. */
export function toProblem(error: unknown, log: Log, what: string): Problem {
  if (isProblem(error)) {
    if (error.status >= SERVER_FAULT && error.status !== 503 && error.status !== 502)
      log('3XW8T0QN', `${what}: ${error.code}: ${error.message}`);
    return error;
  }
  const id = nanoid();
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log('K7R2M9DF', `${id} ${what}: ${stack}`);
  return new Problem(
    'internal',
    `Something went wrong in the gateway that should not; its log says more under ${id}.`,
    { cause: error },
  );
}

/**
 * Answers with a problem. An answer that has begun is broken off instead: it must not look complete. The connection is given
 * up when the request's body was not read to its end, so that the rest of it is not taken for the next request; but not at
 * once, which would take the answer away from a client that is still sending.
 */
export function sendProblem(response: ServerResponse, problem: Problem): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = problemAnswer(problem);
  const { req: request } = response;
  const isUnread = !request.complete;
  if (isUnread) response.setHeader('connection', 'close');
  response.writeHead(status, {
    ...headers,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
  });
  if (!isUnread) {
    response.end(request.method === 'HEAD' ? undefined : body);
    return;
  }
  if (request.method === 'HEAD') response.flushHeaders();
  else response.write(body);
  void createUpload(request)
    .linger()
    .then(() => void response.end());
}

/** The same for what answers by a `Response`. */
export function problemResponse(error: unknown, log: Log, what: string): Response {
  const { body, ...head } = problemAnswer(toProblem(error, log, what));
  return new Response(body, head);
}
