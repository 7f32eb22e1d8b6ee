import { setTimeout as sleep } from 'node:timers/promises';
import type { ThreadId } from '@uncaged/protocol/ids';
import { isProblem } from '@uncaged/protocol/problem';
import type { Log } from '../api/index.js';
import { removeThread } from '../executor/index.js';
import { type NodeConfig, registryRoots } from '../registry/index.js';
import type { Store, ThreadRow, ThreadStatus } from '../store/index.js';
import type { ServiceLimits } from './limits.js';

/** When some process last did this for the store, ms since epoch. */
const LAST = 'retentionAt';

const FINISHED: readonly ThreadStatus[] = ['completed', 'failed', 'cancelled'];

const PAGE_ROWS = 200;

type RetentionInput = {
  store: Store;
  clock: () => number;
  limits: Pick<ServiceLimits, 'retentionEveryMs' | 'retentionGraceMs' | 'retentionBusyMs'>;
  log: Log;
};

type Retention = NodeConfig['retention'];

/**
 * Keeps the store within `config.retention`: finished threads that are too old, too many, or more than there is room for are
 * removed, oldest first, and what they alone needed is collected. A thread goes with those nested in it, and only when they are
 * all finished. Copies from packs stay. What agents wrote into working directories stays too. `isStopped` is asked between two
 * threads and two slices. True when this process did it; another one may have done it within `retentionEveryMs`.
 */
export async function keepRetention(
  { store, clock, limits, log }: RetentionInput,
  retention: Retention,
  isStopped: () => boolean,
): Promise<boolean> {
  if (retention.age === null && retention.count === null && retention.size === null) return false;
  if (!(await whenFree(limits, () => takeTurn(store, clock, limits.retentionEveryMs))))
    return false;
  let removed = 0;
  for (const root of [...tooMany(store, clock(), retention)]) {
    if (isStopped()) return true;
    removed += await removeTree(store, limits, root);
  }
  if (removed > 0) await collect(store, limits, isStopped);
  if (retention.size !== null) removed += await makeRoom(store, limits, retention.size, isStopped);
  if (removed > 0) log('7WZ2KQ9D', `${removed} finished threads were removed by config.retention`);
  return true;
}

/** One process at a time, and not before it is time again. A clock that was set back is no reason to wait. */
function takeTurn(store: Store, clock: () => number, everyMs: number): boolean {
  const now = clock();
  return store.write('normal', () => {
    const last = Number(store.settings.get(LAST) ?? Number.NEGATIVE_INFINITY);
    if (last <= now && now - last < everyMs) return false;
    store.settings.set(LAST, String(now));
    return true;
  });
}

function* tooMany(store: Store, now: number, { age, count }: Retention): Generator<ThreadId> {
  let kept = 0;
  for (const { id, endedAt, updatedAt } of finishedRoots(store)) {
    const isOld = age !== null && (endedAt ?? updatedAt) < now - age;
    if (isOld || (count !== null && kept >= count)) yield id;
    else kept += 1;
  }
}

/** Oldest first, until what they hold would bring the file below `size`. */
async function makeRoom(
  store: Store,
  limits: RetentionInput['limits'],
  size: number,
  isStopped: () => boolean,
): Promise<number> {
  let excess = store.upkeep.usedBytes() - size;
  if (excess <= 0) return 0;
  let removed = 0;
  for (const { id } of [...finishedRoots(store)].reverse()) {
    if (excess <= 0 || isStopped()) break;
    const tree = finishedTree(store, id);
    const bytes = (tree ?? []).reduce((sum, next) => sum + store.upkeep.threadBytes(next), 0);
    const gone = await removeTree(store, limits, id);
    if (gone > 0) excess -= bytes;
    removed += gone;
  }
  if (removed > 0) await collect(store, limits, isStopped);
  return removed;
}

/** Finished threads that are nested in none, newest first. */
function* finishedRoots(store: Store): Generator<ThreadRow> {
  for (let before: ThreadId | undefined; ; ) {
    const page = store.threads.list({
      statuses: FINISHED,
      limit: PAGE_ROWS,
      ...(before === undefined ? {} : { before }),
    });
    for (const row of page) {
      const isNested = row.parent !== null && store.threads.get(row.parent) !== null;
      if (!isNested && !row.imported) yield row;
    }
    if (page.length < PAGE_ROWS) return;
    before = page.at(-1)!.id;
  }
}

/** A thread and all that are nested in it, the innermost first; null when one of them is not finished. */
function finishedTree(store: Store, id: ThreadId): ThreadId[] | null {
  const row = store.threads.get(id);
  if (row === null || !FINISHED.includes(row.status)) return null;
  const tree: ThreadId[] = [];
  for (const child of store.threads.relatives(id, Number.MAX_SAFE_INTEGER)) {
    if (child.parent !== id) continue;
    const below = finishedTree(store, child.id);
    if (below === null) return null;
    tree.push(...below);
  }
  return [...tree, id];
}

/** How many threads went. */
async function removeTree(
  store: Store,
  limits: RetentionInput['limits'],
  root: ThreadId,
): Promise<number> {
  const tree = finishedTree(store, root);
  if (tree === null) return 0;
  let removed = 0;
  for (const id of tree) {
    try {
      await whenFree(limits, () => removeThread(store, id, { keepWorkspace: true }));
      removed += 1;
    } catch (error) {
      // Somebody removed it, or made it run again, just now.
      if (isProblem(error, 'thread-not-found') || isProblem(error, 'thread-state')) return removed;
      throw error;
    }
  }
  return removed;
}

async function collect(
  store: Store,
  { retentionGraceMs }: Pick<ServiceLimits, 'retentionGraceMs'>,
  isStopped: () => boolean,
): Promise<void> {
  const work = store.upkeep.collect({
    registryRoots: () => registryRoots(store.root),
    graceMs: retentionGraceMs,
  });
  try {
    while (!(await work.next()).done) if (isStopped()) await work.return(undefined as never);
  } catch (error) {
    // Somebody collects or verifies through the API: what is left goes the next time.
    if (!isProblem(error, 'in-use')) throw error;
  }
}

async function whenFree<T>(
  { retentionBusyMs }: Pick<ServiceLimits, 'retentionBusyMs'>,
  work: () => T | Promise<T>,
): Promise<T> {
  const deadline = performance.now() + retentionBusyMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isProblem(error, 'store-busy') || performance.now() > deadline) throw error;
    }
    await sleep(BUSY_PAUSE_MS);
  }
}

/** Between two tries to write, ms: a commit takes well under one. */
const BUSY_PAUSE_MS = 20;
