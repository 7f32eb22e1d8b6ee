import { lstatSync, realpathSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import { type Store, type ThreadRow, workDirectory } from '../store/index.js';
import { threadLogFile } from './thread-log.js';
import { getThread } from './thread-tree.js';

/**
 * Forgets a thread, those nested in it, and their logs; their nodes stay until they are collected. The directory that the node made
 * for it goes too, as long as no other thread works there, unless `keepWorkspace`. Returns how many nested threads went with it.
 * Throws thread-not-found, thread-state; store-unavailable when the thread is gone but its directory could not be removed.
 */
export async function removeThread(
  store: Store,
  id: ThreadId,
  { keepWorkspace = false }: { keepWorkspace?: boolean } = {},
): Promise<number> {
  const row = getThread(store, id);
  const made = keepWorkspace ? null : madeWorkspace(store.root, row);
  const { removed, isFree } = store.write('full', () => ({
    removed: store.threads.remove(id),
    isFree: made !== null && !store.threads.worksIn(made),
  }));
  for (const { id: each, version } of removed)
    rmSync(threadLogFile(store.root, version, each), { force: true });
  const nested = removed.length - 1;
  if (made === null || !isFree) return nested;
  try {
    // Links in it are removed, not followed.
    await rm(made, { recursive: true, force: true });
  } catch (error) {
    throw new Problem(
      'store-unavailable',
      `Thread ${id} is removed, but not its directory ${made}: ${(error as Error).message}. Remove that by hand.`,
      { cause: error },
    );
  }
  return nested;
}

/**
 * The thread's own directory below `work`, when that is where it worked: whoever put a link in its place, or named it as the
 * workspace of something else, keeps what is there.
 */
function madeWorkspace(root: string, { id, workspace }: ThreadRow): string | null {
  const work = workDirectory(root);
  const path = join(work, id);
  if (!isOwnDirectory(work) || !isOwnDirectory(path)) return null;
  return realpathSync(path) === workspace ? workspace : null;
}

/** False for a link, a file, and what is not there. */
function isOwnDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
