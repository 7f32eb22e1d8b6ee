import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';

/**
 * Directory of everything a node keeps: UNCAGED_WORKFLOW_STORAGE_ROOT, else WORKFLOW_STORAGE_ROOT, else
 * ~/.uncaged/workflow. Empty counts as unset; without HOME the system's user database is asked (`lookupHome`).
 * Absolute; not created here. Throws store-unavailable when no home is known either.
 */
export function storageRoot(
  env: Readonly<Record<string, string | undefined>>,
  lookupHome: () => string = () => userInfo().homedir,
): string {
  const chosen = env.UNCAGED_WORKFLOW_STORAGE_ROOT || env.WORKFLOW_STORAGE_ROOT;
  if (chosen) return resolve(chosen);
  return join(env.HOME || homeOfUser(lookupHome), '.uncaged', 'workflow');
}

function homeOfUser(lookupHome: () => string): string {
  let home = '';
  let cause: unknown;
  try {
    home = lookupHome();
  } catch (error) {
    // This user id has no entry: told below, with what to do.
    cause = error;
  }
  if (home !== '') return home;
  throw new Problem(
    'store-unavailable',
    'There is no place for the store: HOME is not set and the system knows no home directory of this user. ' +
      'Set UNCAGED_WORKFLOW_STORAGE_ROOT to a directory.',
    { cause },
  );
}
