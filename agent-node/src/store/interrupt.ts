import type { ThreadId } from '@uncaged/protocol/ids';
import type { Connection } from './connection.js';
import type { Leases } from './lease-table.js';
import type { EventTable, ThreadTable } from './store.js';
import type { SetStatus } from './thread-status.js';
import type { Transactions } from './transactions.js';
import type { LeaseRow, ThreadRow } from './types.js';

type InterruptInput = {
  connection: Connection;
  transactions: Transactions;
  leases: Leases;
  events: EventTable;
  setStatus: SetStatus;
  get: (id: ThreadId) => ThreadRow | null;
  clock: () => number;
};

/**
 * Takes threads from owners that are gone. Looks without a transaction first, so that every command may begin with it;
 * what looked dead is asked about again inside one. Joins the caller's transaction when there is one.
 */
export function createInterrupt({
  connection,
  transactions,
  leases,
  events,
  setStatus,
  get,
  clock,
}: InterruptInput): ThreadTable['interruptDead'] {
  const closeSteps = connection.change(
    "UPDATE step SET status='interrupted', committedAt=max(startedAt, ?) WHERE thread=? AND status='running'",
  );
  const clearLive = connection.change('DELETE FROM live WHERE thread=?');

  function interrupt(seen: LeaseRow, isDead: (lease: LeaseRow) => boolean): boolean {
    const lease = leases.get(seen.thread);
    if (lease === null || lease.fence !== seen.fence || !isDead(lease)) return false;
    leases.drop(lease.thread);
    const thread = get(lease.thread);
    if (thread === null || (thread.status !== 'running' && thread.status !== 'waiting'))
      return false;
    setStatus(thread, 'interrupted', {});
    closeSteps(clock(), thread.id);
    clearLive(thread.id);
    events.append({ thread: thread.id, type: 'thread.interrupted', data: { pid: lease.pid } });
    return true;
  }

  return (isDead) => {
    const dead = leases.list().filter(isDead);
    if (dead.length === 0) return [];
    const takeAll = (): ThreadId[] =>
      dead.filter((lease) => interrupt(lease, isDead)).map((lease) => lease.thread);
    return connection.inTransaction() ? takeAll() : transactions.write('full', takeAll);
  };
}
