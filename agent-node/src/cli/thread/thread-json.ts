import type { StepJson, ThreadDetail, ThreadSummary } from '@uncaged/protocol/api';
import type { Payload } from '@uncaged/protocol/cas';
import { isProblem } from '@uncaged/protocol/problem';
import { readRegistry } from '../../registry/index.js';
import { isOver, type StepRow, type Store, type ThreadRow } from '../../store/index.js';
import { JSON_CONTENT_BYTES } from './limits.js';

// The same form as protocol/api has; imported it would cost every list the schemas of the whole API.
const toTime = (ms: number) => new Date(ms).toISOString();
const toTimeOrNull = (ms: number | null) => (ms === null ? null : toTime(ms));

/** A thread as lists show it. */
export function threadSummary(row: ThreadRow): ThreadSummary {
  return {
    threadId: row.id,
    workflow: row.workflow,
    version: row.version,
    kind: row.kind,
    status: row.status,
    desired: row.desired,
    reason: row.reason,
    problem: row.problem,
    retryable: row.status === 'failed' && !isOver(row),
    prompt: row.prompt200,
    role: row.role,
    stepCount: row.steps,
    usage: row.usage,
    usd: row.usd,
    parent: row.parent,
    forkedFrom: row.forkedFrom,
    createdAt: toTime(row.createdAt),
    updatedAt: toTime(row.updatedAt),
    startedAt: toTimeOrNull(row.startedAt),
    endedAt: toTimeOrNull(row.endedAt),
    returnCode: row.returnCode,
    summary: row.summary,
  };
}

/** Everything of a thread but its steps. */
export async function threadDetail(store: Store, row: ThreadRow): Promise<ThreadDetail> {
  const start = store.nodes.get(row.start);
  const payload = start?.type === 'start' ? start.payload : null;
  const lease = store.leases.get(row.id);
  return {
    ...threadSummary(row),
    prompt: payload === null ? row.prompt200 : store.nodes.readText(payload.prompt),
    inputs: payload?.inputs ?? null,
    start: row.start,
    head: row.head,
    depth: row.depth,
    workspace: row.workspace,
    options: row.options,
    owner: lease === null ? null : { pid: lease.pid },
    current: await currentVersion(store, row),
  };
}

/**
 * A run stays with the version it began with; what the name stands for now, when that is another. A registry that cannot
 * be read just now is no reason not to show a thread.
 */
export async function currentVersion(store: Store, row: ThreadRow): Promise<string | null> {
  try {
    const entry = (await readRegistry(store.root)).entries.get(row.workflow);
    return entry === undefined || entry.hash === row.version ? null : entry.hash;
  } catch (error) {
    if (isProblem(error, 'invalid-config')) return null;
    throw error;
  }
}

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
    content: isThere ? store.nodes.readText(contentHash, JSON_CONTENT_BYTES) : null,
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
