import type { ThreadId } from '@uncaged/protocol/ids';
import type { Store } from '../store/index.js';
import { cancelIdleThread } from './cancel-idle.js';
import type { ExecutorLimits } from './limits.js';
import { isOwnerDead } from './owner.js';

/**
 * Threads whose owner is gone become `interrupted`; those that were told to end are ended. Cheap when there is nothing to
 * do, so that every command may begin with it. Returns what it found dead.
 */
export async function recoverDead(
  store: Store,
  clock: () => number,
  limits: ExecutorLimits,
): Promise<ThreadId[]> {
  const dead = store.threads.interruptDead((lease) => isOwnerDead(lease, limits.deadAfterMs));
  for (const id of dead) {
    if (store.threads.get(id)?.desired === 'kill') await cancelIdleThread(store, id, clock, limits);
  }
  return dead;
}
