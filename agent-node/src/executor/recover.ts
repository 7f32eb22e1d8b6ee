import type { ThreadId } from '@uncaged/protocol/ids';
import type { Store } from '../store/index.js';
import { endUnowned } from './cancel-idle.js';
import type { ExecutorLimits } from './limits.js';
import { isOwnerDead } from './owner.js';

/**
 * Threads whose owner is gone become `interrupted`; those that were told to end are ended, with all below them that nobody
 * has. Cheap when there is nothing to do, so that every command may begin with it. Returns what it found dead.
 */
export async function recoverDead(
  store: Store,
  clock: () => number,
  limits: ExecutorLimits,
): Promise<ThreadId[]> {
  const dead = store.threads.interruptDead((lease) => isOwnerDead(lease, limits.deadAfterMs));
  for (const id of dead) {
    if (store.threads.get(id)?.desired !== 'kill') continue;
    await endUnowned(store, id, clock, limits);
    for (const nested of store.threads.openDescendants(id))
      if (nested.desired === 'kill' && store.leases.get(nested.id) === null)
        await endUnowned(store, nested.id, clock, limits);
  }
  return dead;
}
