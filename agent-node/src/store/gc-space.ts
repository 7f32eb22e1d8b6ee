import { Problem } from '@uncaged/protocol/problem';
import type { Connection } from './connection.js';
import { UPKEEP_SLICE_MS, VACUUM_START_PAGES } from './limits.js';
import { createPace, type Relief, writeSlice } from './slices.js';
import type { UpkeepProgress } from './upkeep-types.js';

/** Gives pages that hold nothing any more back to the file system. */
export function createSpaceReturn(connection: Connection) {
  const pageCount = connection.value<number>('PRAGMA page_count');
  const pageSize = connection.value<number>('PRAGMA page_size');
  const freePages = connection.value<number>('PRAGMA freelist_count');
  const leases = connection.value<number>('SELECT count(*) FROM lease');

  /** Throws in-use. */
  function refuseWhileRunning(): void {
    const running = leases() ?? 0;
    if (running === 0) return;
    throw new Problem(
      'in-use',
      `${running === 1 ? 'A thread runs' : `${running} threads run`}; while the file is written anew they could not store ` +
        'their steps. Compact when they are through; without that the collector runs beside them.',
    );
  }

  /** Whole pages, from the end of the file. */
  async function* giveBack(relief: Relief): AsyncGenerator<UpkeepProgress, void, undefined> {
    const isTime = createPace();
    const total = freePages() ?? 0;
    let pages = VACUUM_START_PAGES;
    for (let left = total; left > 0; ) {
      const started = performance.now();
      const count = Math.min(pages, left);
      await writeSlice(connection, () => connection.exec(`PRAGMA incremental_vacuum(${count})`));
      const took = performance.now() - started;
      // Pages that others fill again meanwhile are theirs: what was free at first is enough.
      left -= count;
      if (took < UPKEEP_SLICE_MS / 2) pages *= 2;
      else if (took > UPKEEP_SLICE_MS) pages = Math.max(1, Math.floor(pages / 2));
      await relief();
      if (isTime()) yield { phase: 'compact', done: total - left, total };
    }
  }

  /** The whole file anew, without gaps. Throws in-use, store-busy, disk-full. */
  function* rewrite(): Generator<UpkeepProgress, void, undefined> {
    const total = pageCount() ?? 0;
    yield { phase: 'compact', done: 0, total };
    refuseWhileRunning();
    // The copy would be made in memory otherwise.
    connection.exec('PRAGMA temp_store=FILE');
    try {
      connection.exec('VACUUM');
    } finally {
      connection.exec('PRAGMA temp_store=MEMORY');
    }
    yield { phase: 'compact', done: total, total };
  }

  return {
    fileBytes: () => (pageCount() ?? 0) * (pageSize() ?? 0),
    refuseWhileRunning,
    giveBack,
    rewrite,
  };
}
