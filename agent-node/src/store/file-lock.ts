import { Problem } from '@uncaged/protocol/problem';
import { databaseProblem } from './database-errors.js';
import { createPrivateFile } from './files.js';
import { exclusiveHolder } from './lock-holder.js';
import { loadSqlite, nativeProblem } from './native.js';

/** Keep it while the lock is needed: it vanishes with an object that is collected. */
export type FileLock = { release: () => void };

/**
 * A lock that any death releases: a tiny SQLite file held by BEGIN EXCLUSIVE. Does not wait. When somebody has it, throws
 * what `held` makes of the holder's pid (null = unknown): registry-locked unless told otherwise.
 */
export async function acquireLock(
  path: string,
  held: (pid: number | null) => Problem = (pid) => registryLocked(path, pid),
): Promise<FileLock> {
  const Database = await loadSqlite();
  try {
    createPrivateFile(path);
    const db = new Database(path, { timeout: 0 });
    try {
      db.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      db.close();
      throw error;
    }
    return { release: () => void db.close() };
  } catch (error) {
    const problem = databaseProblem(nativeProblem(error), path);
    if (problem instanceof Problem && problem.code === 'store-busy')
      throw held(exclusiveHolder(path));
    throw problem;
  }
}

function registryLocked(path: string, pid: number | null): Problem {
  const who = pid === null ? 'Another process' : `Process ${pid}`;
  return new Problem('registry-locked', `${who} holds ${path}. Try again when it is through.`, {
    details: { pid },
  });
}
