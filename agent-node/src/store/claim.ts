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
}: ClaimInput): Pick<ThreadTable, 'claimNext' | 'queuedWorkers'> {
  const running = connection.query<{ workflow: string; count: number }>(
    "SELECT workflow, count(*) AS count FROM thread WHERE status='running' GROUP BY workflow",
  );
  const next = connection.value<ThreadId>(`
    SELECT id FROM thread WHERE status='queued' AND worker=? AND workflow NOT IN (SELECT value FROM json_each(?))
    ORDER BY queuedAt, id LIMIT 1`);
  const workers = connection.query<{ worker: string }>(`
    SELECT worker FROM thread WHERE status='queued' AND workflow NOT IN (SELECT value FROM json_each(?))
    GROUP BY worker ORDER BY min(queuedAt), min(id)`);

  /** Names of workflows that have no slot left; null when the node has none. */
  function taken(limits: Limits): string | null {
    const rows = running.all();
    if (rows.reduce((sum, row) => sum + row.count, 0) >= limits.node) return null;
    const counts = new Map(rows.map((row) => [row.workflow, row.count]));
    const full = Object.entries(limits.workflows)
      .filter(([workflow, limit]) => (counts.get(workflow) ?? 0) >= limit)
      .map(([workflow]) => workflow);
    return JSON.stringify(full);
  }

  return {
    queuedWorkers: (limits) => {
      const full = taken(limits);
      return full === null ? [] : workers.all(full).map((row) => row.worker);
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
