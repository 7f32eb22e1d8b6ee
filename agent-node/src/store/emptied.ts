import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@uncaged/protocol/problem';
import { BUSY_RETRY_MS, STORE_MADE_WITHIN_MS } from './limits.js';

/** Made beside a store once something has run on it. */
const TRACES = ['logs', 'work'];

/**
 * A database of 0 bytes is a new one to SQLite. Where threads have run it is one that was cut off, as a crash does to a file,
 * and must not be taken for a machine without threads. Throws store-damaged.
 */
export async function refuseEmptied(path: string): Promise<void> {
  const deadline = performance.now() + STORE_MADE_WITHIN_MS;
  while (isEmptied(path)) {
    if (performance.now() > deadline)
      throw new Problem(
        'store-damaged',
        `${path} is empty, though threads have run here: it was cut off. Nothing was written to it. Restore it from a copy, or remove it to begin without those threads.`,
      );
    // Somebody may be about to make a new one.
    await sleep(BUSY_RETRY_MS);
  }
}

function isEmptied(path: string): boolean {
  if (sizeOf(path) !== 0 || (sizeOf(`${path}-wal`) ?? 0) > 0) return false;
  return TRACES.some((name) => existsSync(join(dirname(path), name)));
}

/** Null when it is not there, or nobody may look: whoever opens it says so. */
function sizeOf(file: string): number | null {
  try {
    return statSync(file).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}
