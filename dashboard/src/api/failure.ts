/** What every call of the API throws; told by its name, for the class itself is not of the API's door. */
type ProblemLike = Error & {
  code: string;
  status: number;
  retryable: boolean;
  details: Record<string, unknown>;
};

export function isProblem(error: unknown, code?: string): error is ProblemLike {
  return (
    error instanceof Error &&
    error.name === 'Problem' &&
    'code' in error &&
    (code === undefined || error.code === code)
  );
}

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
