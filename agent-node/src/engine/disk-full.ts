import { Problem } from '@uncaged/protocol/problem';

/** What a step fails with that could not write its files. */
export function diskFull(error: NodeJS.ErrnoException, root: string): Problem {
  return new Problem(
    'disk-full',
    `disk full: ${error.path ?? root}; free some space on its file system, then try again`,
    { cause: error },
  );
}
