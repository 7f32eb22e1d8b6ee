import type { ThreadId } from '@uncaged/protocol/ids';
import type { Connection } from './connection.js';
import type { Leases } from './lease-table.js';
import type { EventTable, ThreadTable } from './store.js';
import type { SetStatus } from './thread-status.js';
import type { ThreadRow } from './types.js';

type Limits = Parameters<ThreadTable['queuedWorkers']>[0];

type ClaimInput = {
  connection: Connection;
  leases: Leases;
  events: EventTable;
  setStatus: SetStatus;
  get: (id: ThreadId) => ThreadRow | null;
  clock: () => number;
};

/** The queue: a thread that runs takes a slot of the node and one of its workflow; oldest first. */
export function createClaim({
  connection,
  leases,
  events,
  setStatus,
  get,
  clock,
}: ClaimInput): Pick<ThreadTable, 'claimNext' | 'queuedWorkers' | 'queuePlace'> {
  const running = connection.query<{ workflow: string; count: number }>(
    "SELECT workflow, count(*) AS count FROM thread WHERE status='running' GROUP BY workflow",
  );
  const next = connection.value<ThreadId>(`
    SELECT id FROM thread WHERE status='queued' AND worker=? AND workflow NOT IN (SELECT value FROM json_each(?))
    ORDER BY queuedAt, id LIMIT 1`);
  const workers = connection.query<{ worker: string }>(`
    SELECT worker FROM thread WHERE status='queued' AND workflow NOT IN (SELECT value FROM json_each(?))
    GROUP BY worker ORDER BY min(queuedAt), min(id)`);

  // In two parts, so that the index alone answers the long one.
  const placeOfAll = connection.value<number>(`
    SELECT (SELECT count(*) FROM thread WHERE status='queued' AND queuedAt<?)
      + (SELECT count(*) FROM thread WHERE status='queued' AND queuedAt=? AND id<=?)`);
  const placeOfWorkflow = connection.value<number>(`
    SELECT count(*) FROM thread
    WHERE status='queued' AND queuedAt<=? AND (queuedAt, id)<=(?, ?) AND workflow=?`);

  /** Whether the node has no slot left, and the workflows that have none. */
  function slots(limits: Limits): { isNodeFull: boolean; full: string[] } {
    const rows = running.all();
    const counts = new Map(rows.map((row) => [row.workflow, row.count]));
    return {
      isNodeFull: rows.reduce((sum, row) => sum + row.count, 0) >= limits.node,
      full: Object.entries(limits.workflows)
        .filter(([workflow, limit]) => (counts.get(workflow) ?? 0) >= limit)
        .map(([workflow]) => workflow),
    };
  }

  /** Names of workflows that have no slot left, as JSON; null when the node has none. */
  function taken(limits: Limits): string | null {
    const { isNodeFull, full } = slots(limits);
    return isNodeFull ? null : JSON.stringify(full);
  }

  return {
    queuedWorkers: (limits) => {
      const full = taken(limits);
      return full === null ? [] : workers.all(full).map((row) => row.worker);
    },
    queuePlace: (id, limits) => {
      const thread = get(id);
      if (thread?.status !== 'queued') return null;
      const { workflow, queuedAt } = thread;
      const { isNodeFull, full } = slots(limits);
      const isWorkflowFull = full.includes(workflow);
      const position = isWorkflowFull
        ? placeOfWorkflow(queuedAt, queuedAt, id, workflow)
        : placeOfAll(queuedAt, queuedAt, id);
      const waitsFor = isWorkflowFull ? 'workflow' : isNodeFull ? 'node' : 'worker';
      return { position: position ?? 1, waitsFor };
    },
    claimNext: ({ workerKey, instance, identity, renewedAt }, limits) => {
      const full = taken(limits);
      const id = full === null ? undefined : next(workerKey, full);
      const thread = id === undefined ? null : get(id);
      if (thread === null) return null;
      const fence = thread.fence + 1;
      const claimed = setStatus(thread, 'running', {
        fence,
        startedAt: thread.startedAt ?? clock(),
      });
      leases.insert({ thread: thread.id, owner: instance, ...identity, fence, renewedAt });
      events.append({
        thread: thread.id,
        type: thread.startedAt === null ? 'thread.started' : 'thread.resumed',
        data: { workflow: thread.workflow, pid: identity.pid },
      });
      return claimed;
    },
  };
}
