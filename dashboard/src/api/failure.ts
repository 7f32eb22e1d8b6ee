import { isProblem } from '@uncaged/protocol/api';

export { isProblem };

/** Nobody is logged in, or no longer. */
export function isLoggedOut(error: unknown): boolean {
  return isProblem(error) && error.status === 401;
}

/** What may pass by itself: no answer, a node that is away, a busy store. */
export function mayPass(error: unknown): boolean {
  return isProblem(error) && error.retryable;
}

/** The text of a failure for people: what was wrong, where, and what to do. */
export function failureText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
