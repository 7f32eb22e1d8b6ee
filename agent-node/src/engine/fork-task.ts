import { FORK } from '@uncaged/protocol/ids';
import type { Store, ThreadRow } from '../store/index.js';

/**
 * The task that a fork was given for its next role; null when there is none, or when that role is through. It stands in the
 * markers at the end of the chain, so that it holds for every attempt at this step, also after a resume, and for no other one.
 */
export function forkTask(
  store: Store,
  thread: Pick<ThreadRow, 'forkedFrom' | 'head'>,
): string | null {
  if (thread.forkedFrom === null) return null;
  let hash: string | undefined = thread.head;
  while (hash !== undefined) {
    const node = store.nodes.get(hash);
    if (node?.type !== 'state' || node.payload.role !== FORK) return null;
    const { prompt } = node.payload.meta;
    if (typeof prompt === 'string') return prompt;
    hash = node.payload.ancestors[0];
  }
  return null;
}
