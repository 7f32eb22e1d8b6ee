import { problemAnswer } from '@uncaged/protocol/http';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import { nanoid } from 'nanoid';
import type { Log } from './context.js';

const SERVER_FAULT = 500;

/** The one way a failure leaves: `application/problem+json`. What nobody expected goes to the log under an id. */
export function problemResponse(error: unknown, log: Log, what: string): Response {
  const problem = isProblem(error) ? error : unexpected(error, log, what);
  if (isProblem(error) && problem.status >= SERVER_FAULT)
    log('7QV3XK0D', `${what}: ${problem.code}: ${problem.message}`);
  const { body, ...head } = problemAnswer(problem);
  return new Response(body, head);
}

function unexpected(error: unknown, log: Log, what: string): Problem {
  const id = nanoid();
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log('M2C8RW5T', `${id} ${what}: ${stack}`);
  return new Problem(
    'internal',
    `Something went wrong in the node that should not; its log says more under ${id}.`,
    { cause: error },
  );
}
