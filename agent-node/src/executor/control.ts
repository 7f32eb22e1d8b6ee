import { setTimeout as sleep } from 'node:timers/promises';
import type { ThreadId } from '@uncaged/protocol/ids';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import {
  type LeaseRow,
  refuseCopy,
  type Store,
  type ThreadOptions,
  type ThreadRow,
} from '../store/index.js';
import { ensureWorker, hasLiveWorker } from './ensure-worker.js';
import type { ExecutorLimits } from './limits.js';
import { recoverDead } from './recover.js';
import { goOnAbove, goOnBelow, whoStands } from './thread-chain.js';
import { getThread, LOOK_EVERY_MS, requestKill, untilTreeOver } from './thread-tree.js';
import type { WorkerProgram } from './worker-process.js';

export type ControlContext = {
  store: Store;
  clock: () => number;
  limits: ExecutorLimits;
  program: WorkerProgram;
};

/** The step in flight finishes, then the thread stops; a queued one when its turn comes. Throws thread-state. */
export async function pauseThread(
  { store, clock, limits }: ControlContext,
  id: ThreadId,
): Promise<ThreadRow> {
  await recoverDead(store, clock, limits);
  store.write('full', () => {
    const row = getThread(store, id);
    refuseCopy(row);
    const { status } = row;
    if (status !== 'running' && status !== 'queued')
      throw new Problem('thread-state', `thread ${id} is ${status}: there is nothing to pause`);
    store.threads.setDesired(id, 'pause');
  });
  return getThread(store, id);
}

/**
 * Goes on with a paused, waiting or interrupted thread (`retry`: with a failed one), and with those that rest with it: nested
 * in it, or above it. Takes back a pause that the step in flight still keeps from being. With `stopAfter` it pauses again after
 * so many steps. Of two at once one wins; the other gets thread-owned, naming the owner. Throws thread-state also when the
 * thread would stop again at once, at the limit that it stands at.
 */
export async function resumeThread(
  context: ControlContext,
  id: ThreadId,
  how: { retry: boolean; raise?: Partial<ThreadOptions>; stopAfter?: number },
): Promise<ThreadRow> {
  const { store, clock, limits, program } = context;
  const { retry, raise = {}, stopAfter } = how;
  await recoverDead(store, clock, limits);
  refuseCopy(getThread(store, id));
  checkLimit(whoStands(store, getThread(store, id)), raise);
  // Whoever asks for some steps does not mean the ones that somebody else has under way.
  if (stopAfter === undefined && takeBackPause(store, id)) return getThread(store, id);
  let others: string[] = [];
  try {
    others = store.write('full', () => {
      const row = getThread(store, id);
      const at = whoStands(store, row).id;
      const chain = { retry, raise, at };
      const stopAt = stopAfter === undefined ? null : row.steps + stopAfter;
      store.threads.requeue(id, { retry, raise: { ...(at === id ? raise : {}), stopAt } });
      const below = goOnBelow(store, row, chain);
      // For some steps only it goes on alone.
      return stopAfter === undefined ? [...below, ...goOnAbove(store, row, chain)] : below;
    });
  } catch (error) {
    if (!isProblem(error, 'thread-state') || getThread(store, id).status !== 'queued') throw error;
    // Somebody else was faster by a moment and its worker is on the way; say who it is.
    const lease = await waitForOwner(store, id, limits.ownerWaitMs);
    const row = getThread(store, id);
    if (lease !== null)
      throw new Problem(
        'thread-owned',
        `thread ${id} is running already, owned by process ${lease.pid}`,
      );
    // Nobody is on the way: whoever queued it was ended before it could start a worker.
    const wanted = stopAfter === undefined || row.options.stopAt === row.steps + stopAfter;
    if (row.status !== 'queued' || !wanted || hasLiveWorker(store, row.worker, limits)) throw error;
  }
  for (const key of new Set([getThread(store, id).worker, ...others]))
    await ensureWorker(store, key, program, limits);
  return getThread(store, id);
}

/** As `resumeThread`, of a failed thread only. Throws thread-state for any other, and where trying again can change nothing. */
export async function retryThread(
  context: ControlContext,
  id: ThreadId,
  raise: Partial<ThreadOptions>,
): Promise<ThreadRow> {
  const { store, clock, limits } = context;
  await recoverDead(store, clock, limits);
  const row = getThread(store, id);
  refuseCopy(row);
  const { status } = row;
  if (status === 'paused' || status === 'waiting' || status === 'interrupted')
    throw new Problem(
      'thread-state',
      `thread ${id} is ${status}, not failed: go on with it by uwf thread resume ${id}`,
    );
  return resumeThread(context, id, { retry: true, raise });
}

function checkLimit({ id, status, reason, steps }: ThreadRow, raise: Partial<ThreadOptions>): void {
  if (status !== 'paused') return;
  if (reason === 'max-steps' && (raise.maxSteps ?? 0) <= steps)
    throw new Problem(
      'thread-state',
      `thread ${id} stands at its limit of ${steps} steps; raise it: uwf thread resume ${id} --max-steps ${steps * 2}`,
    );
  if (reason === 'max-visits' && (raise.maxVisits ?? null) === null)
    throw new Problem(
      'thread-state',
      `thread ${id} stands at the limit of visits to a role; raise it: uwf thread resume ${id} --max-visits N`,
    );
}

/** True when only the wish to pause was in the way of a thread that runs or waits for its turn. */
function takeBackPause(store: Store, id: ThreadId): boolean {
  const stands = () => {
    const { status, desired } = getThread(store, id);
    return desired !== 'pause' || (status !== 'running' && status !== 'queued');
  };
  if (stands()) return false;
  return store.write('full', () => {
    if (stands()) return false;
    store.threads.setDesired(id, 'run');
    const row = getThread(store, id);
    const chain = { retry: false, raise: {}, at: id };
    goOnBelow(store, row, chain);
    goOnAbove(store, row, chain);
    return true;
  });
}

/**
 * Ends a thread now, with everything its agents started and all threads nested in it. Waits for their owners; throws
 * store-busy when that takes too long.
 */
export async function killThread(
  { store, clock, limits }: Omit<ControlContext, 'program'>,
  id: ThreadId,
): Promise<ThreadRow> {
  const tree = { store, clock, limits };
  await requestKill(tree, id);
  if (!(await untilTreeOver(tree, id, limits.killWaitMs)))
    throw new Problem(
      'store-busy',
      `thread ${id} was told to end, but its owner has not obeyed yet; it will be ended with its worker`,
    );
  return getThread(store, id);
}

async function waitForOwner(store: Store, id: ThreadId, waitMs: number): Promise<LeaseRow | null> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const lease = store.leases.get(id);
    if (lease !== null || performance.now() > deadline) return lease;
    await sleep(LOOK_EVERY_MS);
  }
}
