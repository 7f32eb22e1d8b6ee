import {
  createGatewayClient,
  createNodeClient,
  type PlacedThread,
  type StartThread,
  type ThreadDetail,
  type ThreadOrder,
  type ThreadSummary,
} from '@uncaged/protocol/api';
import { LIST_PAGE_ROWS } from '../limits.js';

export type ThreadStatus = ThreadSummary['status'];

/** What a list of threads is narrowed by; empty = not at all. */
export type ThreadFilters = {
  status: ThreadStatus[];
  workflow: string;
  node: string;
  q: string;
};

export type ThreadPage = {
  items: PlacedThread[];
  nextCursor: string | null;
  /** Nodes that did not answer: their threads are missing. */
  unreachable: string[];
};

export async function listThreads(
  filters: ThreadFilters,
  cursor: string | null,
  signal?: AbortSignal,
  limit = LIST_PAGE_ROWS,
): Promise<ThreadPage> {
  const { status, workflow, node, q } = filters;
  const query = {
    status: status.length === 0 ? undefined : status,
    workflow: workflow || undefined,
    q: q || undefined,
    limit,
    cursor: cursor ?? undefined,
  };
  if (node === '') return createGatewayClient().listAllThreads({ query, signal });
  const page = await createNodeClient({ node }).listThreads({ query, signal });
  return { ...page, items: page.items.map((item) => ({ ...item, node })), unreachable: [] };
}

/** The row of one thread, without its whole prompt; null when it is not there any more. */
export async function getSummary(node: string, id: string): Promise<PlacedThread | null> {
  const { items } = await createNodeClient({ node }).listThreads({ query: { q: id, limit: 1 } });
  const found = items.find(({ threadId }) => threadId === id);
  return found === undefined ? null : { ...found, node };
}

export function getThread(node: string, id: string, signal?: AbortSignal): Promise<ThreadDetail> {
  return createNodeClient({ node }).getThread({ params: { id }, signal });
}

export type Order = 'pause' | 'resume' | 'kill' | 'retry';

/** Limits to raise; null = as it is. */
export type RaisedLimits = Partial<Pick<StartThread, 'maxSteps' | 'maxVisits' | 'budget'>>;

export function orderThread(
  node: string,
  id: string,
  order: Order,
  raised: RaisedLimits = {},
): Promise<ThreadOrder> {
  const client = createNodeClient({ node });
  const params = { id };
  switch (order) {
    case 'pause':
      return client.pauseThread({ params });
    case 'kill':
      return client.killThread({ params });
    case 'resume':
      return client.resumeThread({ params, body: raised });
    case 'retry':
      return client.retryThread({ params, body: raised });
  }
}

/** `labels`: what the node must have, where none is named. */
export type Start = Partial<StartThread> & {
  workflow: string;
  node: string | null;
  labels?: Record<string, string>;
};

/** Without `node` the least busy one that has the workflow. `key`: the same start again is the same thread. */
export function startThread(
  start: Start,
  key: string,
): Promise<{ threadId: string; node: string }> {
  return createGatewayClient().startSomewhere({
    body: start,
    headers: { 'idempotency-key': key },
  });
}

export type LogRecord = { tag: string; content: string; timestamp: number };

/** The debug log so far. */
export async function getLog(node: string, id: string, signal?: AbortSignal): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  const lines = await createNodeClient({ node }).getThreadLog({ params: { id }, signal });
  for await (const record of lines) records.push(record);
  return records;
}
