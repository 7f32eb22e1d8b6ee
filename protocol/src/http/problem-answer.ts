import { type Problem, toProblemJson } from '../problem/index.js';

/** A client that was told to come back later waits so many seconds, unless the problem knows better. */
const RETRY_AFTER_S = 1;
const UNAUTHORIZED = 401;
const TOO_MANY = 429;
const UNAVAILABLE = 503;

/** The one way a failure leaves over HTTP: `application/problem+json` (RFC 9457). */
export type ProblemAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
};

/** `details.retryAfterS` (seconds) and `details.contentRange` of the problem become headers. */
export function problemAnswer(problem: Problem): ProblemAnswer {
  return {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...headersFor(problem),
    },
    body: JSON.stringify(toProblemJson(problem)),
  };
}

function headersFor({ status, details }: Problem): Record<string, string> {
  if (status === UNAUTHORIZED) return { 'www-authenticate': 'Bearer' };
  if (status === UNAVAILABLE || status === TOO_MANY)
    return { 'retry-after': String(details.retryAfterS ?? RETRY_AFTER_S) };
  return typeof details.contentRange === 'string' ? { 'content-range': details.contentRange } : {};
}
