import type { Payload } from '@uncaged/protocol/cas';
import type { Store, StepRow, ThreadRow } from '../../store/index.js';
import { JSON_CONTENT_BYTES } from './limits.js';

const iso = (ms: number) => new Date(ms).toISOString();
const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));

/** A thread as lists show it (api.md). */
export function threadSummary(row: ThreadRow) {
  return {
    id: row.id,
    workflow: row.workflow,
    version: row.version,
    kind: row.kind,
    status: row.status,
    desired: row.desired,
    reason: row.reason,
    problem: row.problem,
    retryable: row.status === 'failed' && row.returnCode === null,
    role: row.role,
    stepCount: row.steps,
    prompt: row.prompt200,
    workspace: row.workspace,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    startedAt: isoOrNull(row.startedAt),
    endedAt: isoOrNull(row.endedAt),
    returnCode: row.returnCode,
    summary: row.summary,
    usage: row.usage,
    usd: row.usd,
  };
}

/** Everything of a thread but its steps. */
export function threadDetail(store: Store, row: ThreadRow) {
  const start = store.nodes.get(row.start);
  const inputs = start?.type === 'start' ? start.payload.inputs : null;
  const lease = store.leases.get(row.id);
  return {
    ...threadSummary(row),
    start: row.start,
    head: row.head,
    inputs,
    options: row.options,
    depth: row.depth,
    parent: row.parent,
    forkedFrom: row.forkedFrom,
    owner: lease === null ? null : { pid: lease.pid, fence: lease.fence },
  };
}

/** One attempt at one step; what its node says is null until it is committed. */
export function stepJson(store: Store, row: StepRow) {
  const state = stateOf(store, row);
  const content = state?.content ?? null;
  return {
    seq: row.seq,
    attempt: row.attempt,
    role: row.role,
    agent: row.agent,
    status: row.status,
    hash: row.hash,
    contentHash: content,
    contentSize: content === null ? null : sizeOf(store, content),
    content: content === null ? null : textOf(store, content),
    meta: state?.meta ?? null,
    problem: row.problem,
    childThread: row.childThread,
    startedAt: iso(row.startedAt),
    committedAt: isoOrNull(row.committedAt),
    usage: row.usage,
    usd: row.usd,
  };
}

export function stateOf(store: Store, row: StepRow): Payload<'state'> | null {
  const node = row.hash === null ? null : store.nodes.get(row.hash);
  return node?.type === 'state' ? node.payload : null;
}

function sizeOf(store: Store, content: string): number | null {
  return store.nodes.has(content) ? store.nodes.contentSize(content) : null;
}

function textOf(store: Store, content: string): string {
  return store.nodes.has(content)
    ? store.nodes.readText(content, JSON_CONTENT_BYTES)
    : `(content not in CAS; contentHash=${content})`;
}
