import { Problem } from '@uncaged/protocol/problem';

/** Whether a call of the file system failed for want of room, or of a user's share of it. */
export function isDiskFull(error: unknown): error is NodeJS.ErrnoException {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** What a step fails with that could not write its files. */
export function diskFull(error: NodeJS.ErrnoException, root: string): Problem {
  return new Problem(
    'disk-full',
    `disk full: ${error.path ?? root}; free some space on its file system, then try again`,
    { cause: error },
  );
}
