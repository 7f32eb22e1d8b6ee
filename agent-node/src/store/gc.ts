import { setTimeout as sleep } from 'node:timers/promises';
import { createMarker } from './gc-mark.js';
import { createSpaceReturn } from './gc-space.js';
import { createSweeper } from './gc-sweep.js';
import { countShared } from './id-set.js';
import { createRelief } from './slices.js';
import type { Collected, CollectOptions, UpkeepInput, UpkeepProgress } from './upkeep-types.js';

/** The clock has passed into the next ms by then: what is stored from now on is younger than the cutoff. */
const NEXT_MS = 2;

/** Mark, sweep, and give the space back; see `Upkeep.collect`. */
export function createCollector({ connection, nodes, clock, checkpoint }: UpkeepInput) {
  const mark = createMarker(connection, nodes);
  const sweep = createSweeper(connection, nodes);
  const space = createSpaceReturn(connection);
  // Of bundles all that they stored since they were claimed: what they put themselves belongs to no step yet.
  const inFlightSince = connection.value<number | null>(`
    SELECT min(since) FROM (
      SELECT step.startedAt AS since FROM lease JOIN thread ON thread.id=lease.thread
      JOIN step ON step.thread=thread.id AND step.seq=thread.steps+1 AND step.status='running'
      UNION ALL
      SELECT thread.queuedAt FROM lease JOIN thread ON thread.id=lease.thread WHERE thread.kind='bundle')`);

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
    if (compact && !dryRun) space.refuseWhileRunning();
    const bytesBefore = space.fileBytes();
    const relief = createRelief(checkpoint);
    const cutoff = cutoffOf(graceMs);
    await sleep(NEXT_MS);
    const marked = yield* mark(await registryRoots());
    const activeRefs = countShared(marked.present, marked.needed);
    const roots = await registryRoots();
    const swept = yield* sweep({ marked, registryRoots: roots, cutoff, dryRun, relief });
    if (!dryRun) {
      yield* space.giveBack(relief);
      if (compact) yield* space.rewrite();
      checkpoint();
    }
    return {
      dryRun,
      scannedThreads: marked.scannedThreads,
      activeRefs,
      deletedEntries: swept.entries,
      deletedBytes: swept.bytes,
      graceEntries: swept.kept,
      freedBytes: dryRun ? 0 : Math.max(0, bytesBefore - space.fileBytes()),
    };
  };
}
