import type { StepJson } from '@uncaged/protocol/api';
import type { Payload } from '@uncaged/protocol/cas';
import type { StepRow, Store } from '../store/index.js';
import { STEP_CONTENT_BYTES } from './limits.js';
import { toTime, toTimeOrNull } from './time.js';

/** One attempt at one step; what its node says is null until it is committed. */
export function stepJson(store: Store, row: StepRow): StepJson {
  const state = stateOf(store, row);
  const contentHash = state?.content ?? null;
  const isThere = contentHash !== null && store.nodes.has(contentHash);
  return {
    threadId: row.thread,
    seq: row.seq,
    attempt: row.attempt,
    role: row.role,
    agent: row.agent,
    status: row.status,
    problem: row.problem,
    hash: row.hash,
    contentHash,
    content: isThere ? store.nodes.readText(contentHash, STEP_CONTENT_BYTES) : null,
    contentSize: isThere ? store.nodes.contentSize(contentHash) : null,
    meta: state?.meta ?? null,
    startedAt: toTime(row.startedAt),
    committedAt: toTimeOrNull(row.committedAt),
    childThread: row.childThread,
    usage: row.usage,
    usd: row.usd,
  };
}

export function stateOf(store: Store, row: StepRow): Payload<'state'> | null {
  const node = row.hash === null ? null : store.nodes.get(row.hash);
  return node?.type === 'state' ? node.payload : null;
}
