import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@uncaged/protocol/problem';
import type { Connection } from './connection.js';
import { createMarker } from './gc-mark.js';
import { createSweeper } from './gc-sweep.js';
import {
  UPKEEP_CHECKPOINT_SLICES,
  UPKEEP_READER_MAX_MS,
  UPKEEP_SLICE_MS,
  UPKEEP_WAL_MAX_PAGES,
  VACUUM_START_PAGES,
} from './limits.js';
import { afterWriting, createPace, writeSlice } from './slices.js';
import type { Collected, CollectOptions, UpkeepInput, UpkeepProgress } from './upkeep.js';

/** The clock has passed into the next ms by then: what is stored from now on is younger than the cutoff. */
const NEXT_MS = 2;

export function createCollector({ connection, nodes, clock, checkpoint }: UpkeepInput) {
  const mark = createMarker(connection, nodes);
  const sweep = createSweeper(connection, nodes);
  const pageCount = connection.value<number>('PRAGMA page_count');
  const pageSize = connection.value<number>('PRAGMA page_size');
  const leases = connection.value<number>('SELECT count(*) FROM lease');
  // Of bundles all that they stored since they were claimed: what they put themselves belongs to no step yet.
  const inFlightSince = connection.value<number>(`
    SELECT min(since) FROM (
      SELECT step.startedAt AS since FROM lease JOIN thread ON thread.id=lease.thread
      JOIN step ON step.thread=thread.id AND step.seq=thread.steps+1 AND step.status='running'
      UNION ALL
      SELECT thread.queuedAt FROM lease JOIN thread ON thread.id=lease.thread WHERE thread.kind='bundle')`);

  const fileBytes = (): number => (pageCount() ?? 0) * (pageSize() ?? 0);

  /** Long outputs are stored ahead of their step's commit: what is as young as the oldest step in flight may be theirs. */
  function cutoffOf(graceMs: number): number {
    const now = clock() + 1;
    return Math.min(now, inFlightSince() ?? now) - graceMs;
  }

  return async function* collect({
    registryRoots,
    graceMs,
    dryRun = false,
    compact = false,
  }: CollectOptions): AsyncGenerator<UpkeepProgress, Collected, undefined> {
    if (compact && !dryRun) refuseWhileRunning(leases() ?? 0);
    const bytesBefore = fileBytes();
    const cutoff = cutoffOf(graceMs);
    await sleep(NEXT_MS);
    const marked = yield* mark(await registryRoots());
    const swept = yield* relieved(
      sweep({ marked, registryRoots: await registryRoots(), cutoff, dryRun }),
      dryRun ? () => 0 : checkpoint,
    );
    if (!dryRun) {
      yield* relieved(giveBack(connection), checkpoint);
      if (compact) yield* rewrite(connection, () => refuseWhileRunning(leases() ?? 0));
      checkpoint();
    }
    return {
      dryRun,
      scannedThreads: marked.scannedThreads,
      activeRefs: marked.present.size - swept.entries - swept.kept - swept.vanished,
      deletedEntries: swept.entries,
      deletedBytes: swept.bytes,
      graceEntries: swept.kept,
      freedBytes: dryRun ? 0 : Math.max(0, bytesBefore - fileBytes()),
    };
  };
}
