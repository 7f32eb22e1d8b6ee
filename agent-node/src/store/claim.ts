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

/**
 * The queue: a thread that runs takes a slot of the node and one of its workflow; oldest first. Of a thread and those nested
 * in it one at a time is at work: they share one slot of the node, so a nested thread begins however full the node is, and a
 * thread that waits for its nested one takes none of its workflow. Nobody can wait for a slot that waits for him.
 */
export function createClaim({
  connection,
  leases,
  events,
  setStatus,
  get,
  clock,
}: ClaimInput): Pick<ThreadTable, 'claimNext' | 'queuedWorkers' | 'queuePlace'> {
  const running = connection.query<{ workflow: string; ofNode: number; ofWorkflow: number }>(`
    SELECT workflow,
      sum(NOT EXISTS(SELECT 1 FROM thread AS above WHERE above.id=thread.parent AND above.status='running')) AS ofNode,
      sum(NOT EXISTS(SELECT 1 FROM thread AS nested WHERE nested.parent=thread.id AND nested.parentSeq=thread.steps+1
        AND nested.status IN ('queued', 'running'))) AS ofWorkflow
    FROM thread WHERE status='running' GROUP BY workflow`);
  const next = connection.value<ThreadId>(`
    SELECT id FROM thread WHERE status='queued' AND worker=? AND workflow NOT IN (SELECT value FROM json_each(?))
    ORDER BY queuedAt, id LIMIT 1`);
  const workers = connection.query<{ worker: string }>(`
    SELECT worker FROM thread WHERE status='queued' AND workflow NOT IN (SELECT value FROM json_each(?))
    GROUP BY worker ORDER BY min(queuedAt), min(id)`);
  // From the few that run, not from the many that wait.
  const nested = `
    FROM thread AS above CROSS JOIN thread AS nested ON nested.parent=above.id AND nested.status='queued'
    WHERE above.status='running' AND nested.workflow NOT IN (SELECT value FROM json_each(?))`;
  const nextNested = connection.value<ThreadId>(
    `SELECT nested.id ${nested} AND nested.worker=? ORDER BY nested.queuedAt, nested.id LIMIT 1`,
  );
  const nestedWorkers = connection.query<{ worker: string }>(
    `SELECT nested.worker ${nested} GROUP BY nested.worker ORDER BY min(nested.queuedAt)`,
  );
  const isNested = connection.value<number>(`
    SELECT 1 FROM thread JOIN thread AS above ON above.id=thread.parent AND above.status='running' WHERE thread.id=?`);

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
    const counts = new Map(rows.map((row) => [row.workflow, row.ofWorkflow]));
    return {
      isNodeFull: rows.reduce((sum, row) => sum + row.ofNode, 0) >= limits.node,
      full: Object.entries(limits.workflows)
        .filter(([workflow, limit]) => (counts.get(workflow) ?? 0) >= limit)
        .map(([workflow]) => workflow),
    };
  }

  return {
    queuedWorkers: (limits) => {
      const { isNodeFull, full } = slots(limits);
      const rows = (isNodeFull ? nestedWorkers : workers).all(JSON.stringify(full));
      return rows.map((row) => row.worker);
    },
    queuePlace: (id, limits) => {
      const thread = get(id);
      if (thread?.status !== 'queued') return null;
      const { workflow, queuedAt } = thread;
      const { isNodeFull: isFull, full } = slots(limits);
      const isNodeFull = isFull && isNested(id) === undefined;
      const isWorkflowFull = full.includes(workflow);
      const position = isWorkflowFull
        ? placeOfWorkflow(queuedAt, queuedAt, id, workflow)
        : placeOfAll(queuedAt, queuedAt, id);
      const waitsFor = isWorkflowFull ? 'workflow' : isNodeFull ? 'node' : 'worker';
      return { position: position ?? 1, waitsFor };
    },
    claimNext: ({ workerKey, instance, identity, renewedAt }, limits) => {
      const { isNodeFull, full: workflows } = slots(limits);
      const full = JSON.stringify(workflows);
      const id = isNodeFull ? nextNested(full, workerKey) : next(workerKey, full);
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
