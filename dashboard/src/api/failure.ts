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

/** The gateway has never seen a node of this name. */
export function isNoNode(error: unknown): boolean {
  return isProblem(error) && error.code === 'machine-not-found';
}

/** The text of a failure for people: what was wrong, where, and what to do. */
export function failureText(error: unknown): string {
  // The gateway's own words tell of its API, which nobody sees here.
  if (isNoNode(error)) return 'No node of this name has ever connected to this gateway.';
  return error instanceof Error ? error.message : String(error);
}
