import type { Node, Payload } from '@uncaged/protocol/cas';
import { type Hash, START } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Step, ThreadContext } from '@uncaged/protocol/workflow';
import type { Store, ThreadRow } from '../store/index.js';

/** A context whose owner may append steps; workflow code sees it read-only. */
export type GrowingContext = ThreadContext & { steps: Step[] };

/**
 * What workflow code knows of a thread, read from its chain. Throws store-damaged when a node of the chain is missing.
 */
export function loadThreadContext(store: Store, thread: ThreadRow): GrowingContext {
  return store.read(() => {
    const start = expectNode(store, thread.start, 'start').payload;
    const steps: Step[] = [];
    for (const row of store.steps.list(thread.id)) {
      if (row.status !== 'committed' || row.hash === null) continue;
      const { payload, refs } = expectNode(store, row.hash, 'state');
      if (payload.role.startsWith('__')) continue;
      steps.push(stepOf(row.hash, payload, refs));
    }
    return {
      threadId: thread.id,
      depth: thread.depth,
      // Not the start's: a fork may go on with another version.
      bundleHash: thread.kind === 'bundle' ? thread.version : null,
      start: {
        role: START,
        content: store.nodes.readText(start.prompt),
        inputs: start.inputs,
        meta: {},
        parentState: start.parentState,
        timestamp: thread.createdAt,
      },
      steps,
    };
  });
}

/** The last committed step; null when there is none. Throws store-damaged. */
export function loadLastStep(store: Store, { id, steps }: ThreadRow): Step | null {
  const [row] = steps === 0 ? [] : store.steps.committed(id, { afterSeq: steps - 1, limit: 1 });
  if (row === undefined || row.hash === null) return null;
  const { payload, refs } = expectNode(store, row.hash, 'state');
  return stepOf(row.hash, payload, refs);
}

export function stepOf(hash: Hash, state: Payload<'state'>, refs: readonly Hash[]): Step {
  if (state.content === null) throw new Problem('store-damaged', `step ${hash} has no content`);
  return {
    role: state.role,
    attempt: state.attempt,
    hash,
    contentHash: state.content,
    meta: state.meta,
    refs: stepRefs(state, refs),
    childThread: state.childThread,
    timestamp: state.timestamp,
  };
}

/** Of a state's refs those that the role produced: its content and its casRef values. */
function stepRefs(state: Payload<'state'>, refs: readonly Hash[]): Hash[] {
  const structural = new Set([state.start, state.compact, state.session, ...state.ancestors]);
  return refs.filter((hash) => !structural.has(hash));
}

function expectNode<T extends 'start' | 'state'>(store: Store, hash: Hash, type: T): Node<T> {
  const node = store.nodes.get(hash);
  if (node === null || node.type !== type)
    throw new Problem(
      'store-damaged',
      `node ${hash} is missing or not a ${type}; run: uwf cas get ${hash}`,
    );
  return node as Node<T>;
}
