import type { ThreadDetail, ThreadSummary } from '@uncaged/protocol/api';
import { PROMPT_MAX_BYTES } from '@uncaged/protocol/limits';
import { isProblem } from '@uncaged/protocol/problem';
import type { RegistryFile, RegistryReader } from '../registry/index.js';
import { isMadeWorkspace, isOver, type Store, type ThreadRow } from '../store/index.js';
import { concurrency } from './concurrency.js';
import { readablePayload, readableText } from './readable.js';
import { toTime, toTimeOrNull } from './time.js';

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
    retryable: row.status === 'failed' && !isOver(row) && !row.imported,
    prompt: row.prompt200,
    role: row.role,
    stepCount: row.steps,
    usage: row.usage,
    usd: row.usd,
    parent: row.parent,
    forkedFrom: row.forkedFrom,
    imported: row.imported,
    createdAt: toTime(row.createdAt),
    updatedAt: toTime(row.updatedAt),
    startedAt: toTimeOrNull(row.startedAt),
    endedAt: toTimeOrNull(row.endedAt),
    returnCode: row.returnCode,
    summary: row.summary,
  };
}

/** Everything of a thread but its steps. */
export async function threadDetail(
  store: Store,
  row: ThreadRow,
  registry: RegistryReader = () => readNow(store.root),
): Promise<ThreadDetail> {
  // What of it is damaged is no reason not to show the thread.
  const payload = readablePayload(store, row.start, 'start');
  const prompt = payload === null ? null : readableText(store, payload.prompt, PROMPT_MAX_BYTES);
  const lease = store.leases.get(row.id);
  const { marks: _, ...options } = row.options;
  return {
    ...threadSummary(row),
    prompt: prompt?.text ?? row.prompt200,
    inputs: payload?.inputs ?? null,
    start: row.start,
    head: row.head,
    depth: row.depth,
    parentSeq: row.parentSeq,
    forkedSeq: row.forkedSeq,
    workspace: row.workspace,
    workspaceMade: isMadeWorkspace(store.root, row.workspace),
    options,
    owner: lease === null ? null : { pid: lease.pid },
    queue:
      row.status === 'queued' ? store.threads.queuePlace(row.id, await concurrency(store)) : null,
    current: await currentVersion(row, registry),
  };
}

/** Lists show threads without the registry, and start sooner without the YAML reader it brings. */
async function readNow(root: string): Promise<RegistryFile> {
  const { readRegistry } = await import('../registry/index.js');
  return readRegistry(root);
}

/**
 * A run stays with the version it began with; what the name stands for now, when that is another. A registry that cannot
 * be read just now is no reason not to show a thread.
 */
export async function currentVersion(
  row: ThreadRow,
  registry: RegistryReader,
): Promise<string | null> {
  try {
    const entry = (await registry()).entries.get(row.workflow);
    return entry === undefined || entry.hash === row.version ? null : entry.hash;
  } catch (error) {
    if (isProblem(error, 'invalid-config')) return null;
    throw error;
  }
}
