import type { ThreadId } from '@uncaged/protocol/ids';
import { endTree, stepMarker } from '../process/index.js';
import type { Store } from '../store/index.js';

/**
 * Ends what the newest attempt of a thread that did not commit has left running; the caller owns the thread, or nobody
 * does. Returns pids that would not end.
 */
export async function endLeftovers(
  store: Store,
  thread: ThreadId,
  graceMs: number,
): Promise<number[]> {
  const open = store.steps.lastOpen(thread);
  if (open === null) return [];
  const { seq, attempt, pgid, processStart } = open;
  const marker = stepMarker(thread, seq, attempt);
  const { left } = await endTree({ pgid, processStart, marker, graceMs });
  return left;
}
