import { setTimeout as sleep } from 'node:timers/promises';
import type { ThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import { isOver, type Store, type ThreadRow } from '../store/index.js';
import { endUnowned } from './cancel-idle.js';
import type { ExecutorLimits } from './limits.js';
import { recoverDead } from './recover.js';

/** How often a waiting command looks at the rows of its threads, ms. */
export const LOOK_EVERY_MS = 20;

type TreeContext = { store: Store; clock: () => number; limits: ExecutorLimits };

/**
 * Tells a thread and all below it to end, with everything their agents started, and does not wait for their owners; those
 * that nobody has are over at once. Throws thread-not-found, thread-state.
 */
export async function requestKill(context: TreeContext, id: ThreadId): Promise<ThreadRow> {
  const { store, clock, limits } = context;
  await recoverDead(store, clock, limits);
  store.write('full', () => {
    store.threads.setDesired(id, 'kill');
    for (const nested of store.threads.openDescendants(id))
      store.threads.setDesired(nested.id, 'kill');
  });
  for (const open of openTree(store, id))
    if (store.leases.get(open.id) === null) await endUnowned(store, open.id, clock, limits);
  return getThread(store, id);
}

/** False when that takes longer than `waitMs`. Owners that are gone do not hold it up, nor do those that stand still for good. */
export async function untilTreeOver(
  { store, clock, limits }: TreeContext,
  id: ThreadId,
  waitMs: number,
): Promise<boolean> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const open = openTree(store, id);
    if (open.length === 0) return true;
    const owned = open.filter((row) => store.leases.get(row.id) !== null);
    for (const row of open)
      if (!owned.includes(row)) await endUnowned(store, row.id, clock, limits);
    if (owned.length > 0) await recoverDead(store, clock, limits);
    if (performance.now() > deadline) return openTree(store, id).length === 0;
    await sleep(LOOK_EVERY_MS);
  }
}

/** The thread, unless it is over, and the nested ones below it that are not. */
function openTree(store: Store, id: ThreadId): ThreadRow[] {
  return store.read(() => {
    const row = store.threads.get(id);
    const top = row === null || isOver(row) ? [] : [row];
    return [...top, ...store.threads.openDescendants(id)];
  });
}

export function getThread(store: Store, id: ThreadId): ThreadRow {
  const row = store.threads.get(id);
  if (row === null) throw new Problem('thread-not-found', `thread not found: ${id}`);
  return row;
}
