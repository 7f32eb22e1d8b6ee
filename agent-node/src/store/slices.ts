import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import type { Connection } from './connection.js';
import {
  BUSY_RETRY_MS,
  PROGRESS_EVERY_MS,
  UPKEEP_BUSY_MAX_MS,
  UPKEEP_CHECKPOINT_SLICES,
  UPKEEP_PAUSE_MS,
  UPKEEP_READER_LOOK_MS,
  UPKEEP_READER_MAX_MS,
  UPKEEP_SLICE_MS,
  UPKEEP_WAL_MAX_PAGES,
} from './limits.js';

/** Says when it is time to tell how far the work is, so that it is told some ten times a second. */
export function createPace(): () => boolean {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < PROGRESS_EVERY_MS) return false;
    last = now;
    return true;
  };
}

/** Calls `next` until it says that nothing is left, or a slice's time is over. True while there is more. */
export function slice(next: () => boolean): boolean {
  const end = performance.now() + UPKEEP_SLICE_MS;
  do if (!next()) return false;
  while (performance.now() < end);
  return true;
}

/** After a slice that only read: timers and requests of this process get their turn. */
export async function afterReading(): Promise<void> {
  await turn();
}

/** Awaited after each slice that wrote. Throws store-busy. */
export type Relief = () => Promise<void>;

/**
 * Lets others write: who waits for the write lock asks for it every now and then, and finds it free. And sees to it that the WAL
 * is moved: while somebody's long look keeps it from that, the work waits.
 */
export function createRelief(checkpoint: () => number): Relief {
  let slices = 0;
  return async () => {
    await sleep(UPKEEP_PAUSE_MS);
    slices += 1;
    if (slices % UPKEEP_CHECKPOINT_SLICES !== 0 || checkpoint() < UPKEEP_WAL_MAX_PAGES) return;
    const deadline = performance.now() + UPKEEP_READER_MAX_MS;
    while (checkpoint() >= UPKEEP_WAL_MAX_PAGES) {
      if (performance.now() > deadline) {
        throw new Problem(
          'store-busy',
          'Another process has been reading one state of the store for so long that the log of changes cannot be moved into ' +
            'the database file. Nothing is lost; collect again when it is through.',
        );
      }
      await sleep(UPKEEP_READER_LOOK_MS);
    }
  };
}

/** What must be done outside of the transaction, right before and after it. */
type Around = { before: () => void; after: () => void };

const NOTHING_AROUND: Around = { before: () => undefined, after: () => undefined };

/** One transaction, tried again while others write. Throws store-busy when that takes very long. */
export async function writeSlice<T>(
  connection: Connection,
  work: () => T,
  around: Around = NOTHING_AROUND,
): Promise<T> {
  const deadline = performance.now() + UPKEEP_BUSY_MAX_MS;
  for (;;) {
    try {
      around.before();
      return writeOnce(connection, work);
    } catch (error) {
      if (!isProblem(error, 'store-busy') || performance.now() > deadline) throw error;
    } finally {
      around.after();
    }
    await sleep(BUSY_RETRY_MS);
  }
}

function writeOnce<T>(connection: Connection, work: () => T): T {
  connection.begin('normal');
  try {
    const result = work();
    connection.commit();
    return result;
  } catch (error) {
    connection.rollback();
    throw error;
  }
}
