import type { ThreadId } from '@uncaged/protocol/ids';
import { isProblem } from '@uncaged/protocol/problem';
import type { Store } from '../store/index.js';
import type { ExecutorLimits } from './limits.js';

/**
 * Ends a thread that nobody owns: first what its last step left running, then the thread itself, with code 130. Whoever took
 * it, or ended it, meanwhile has it: the next look tells. Returns pids that would not end.
 */
export async function endUnowned(
  store: Store,
  id: ThreadId,
  clock: () => number,
  limits: ExecutorLimits,
): Promise<number[]> {
  try {
    return await cancelIdleThread(store, id, clock, limits);
  } catch (error) {
    if (isProblem(error, 'thread-owned') || isProblem(error, 'thread-state')) return [];
    throw error;
  }
}

async function cancelIdleThread(
  store: Store,
  id: ThreadId,
  clock: () => number,
  limits: ExecutorLimits,
): Promise<number[]> {
  // Commands that end nothing start sooner without the engine.
  const { endLeftovers } = await import('../engine/index.js');
  const left = await endLeftovers(store, id, limits.killGraceMs);
  const now = clock();
  store.write('full', () =>
    store.threads.cancelIdle(id, {
      returnCode: 130,
      summary: 'killed',
      ownSummary: null,
      startedAt: now,
      timestamp: now,
    }),
  );
  return left;
}
