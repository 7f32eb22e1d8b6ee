import type { ThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Connection } from './connection.js';
import type { LeaseTable } from './store.js';
import type { LeaseRow } from './types.js';

/** For the tables that begin and end ownership. */
export type Leases = LeaseTable & {
  insert: (lease: LeaseRow) => void;
  drop: (thread: ThreadId) => void;
  /** Throws lease-lost unless this fence holds the thread. */
  check: (thread: ThreadId, fence: number) => void;
};

export function createLeaseTable(connection: Connection): Leases {
  const columns = 'thread, owner, pid, processStart, bootId, fence, renewedAt';
  const get = connection.query<LeaseRow>(`SELECT ${columns} FROM lease WHERE thread=?`);
  const list = connection.query<LeaseRow>(`SELECT ${columns} FROM lease ORDER BY thread`);
  const renew = connection.change('UPDATE lease SET renewedAt=? WHERE owner=?');
  const insert = connection.change(`INSERT INTO lease(${columns}) VALUES(?, ?, ?, ?, ?, ?, ?)`);
  const drop = connection.change('DELETE FROM lease WHERE thread=?');
  const fenceOf = connection.value<number>('SELECT fence FROM lease WHERE thread=?');
  return {
    get: (thread) => get.get(thread) ?? null,
    list: () => list.all(),
    renew: (owner, renewedAt) => renew(renewedAt, owner).changes,
    insert: (lease) =>
      void insert(
        lease.thread,
        lease.owner,
        lease.pid,
        lease.processStart,
        lease.bootId,
        lease.fence,
        lease.renewedAt,
      ),
    drop: (thread) => void drop(thread),
    check: (thread, fence) => {
      if (fenceOf(thread) !== fence) throw leaseLost(thread);
    },
  };
}

export function leaseLost(thread: ThreadId): Problem {
  return new Problem(
    'lease-lost',
    `Thread ${thread} is no longer this worker's: it was taken over or ended meanwhile. Nothing of this was written; ` +
      `\`uwf thread show ${thread}\` tells who has it.`,
    { details: { thread } },
  );
}
