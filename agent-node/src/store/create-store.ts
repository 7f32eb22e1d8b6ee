import type { Hasher } from '@uncaged/protocol/ids';
import type { Connection } from './connection.js';
import { createEventTable } from './event-table.js';
import { fileIdentity } from './files.js';
import { createGroupCommit } from './group-commit.js';
import { createIdempotencyTable } from './idempotency-table.js';
import { createLeaseTable } from './lease-table.js';
import { createLiveTable } from './live-table.js';
import { STORE_ID } from './migrate.js';
import { createNodeTable } from './node-table.js';
import { createSettingTable } from './setting-table.js';
import { createStepTable } from './step-table.js';
import type { Store } from './store.js';
import { createThreadTable } from './thread-table.js';
import { createTransactions } from './transactions.js';
import { createUpkeep } from './upkeep.js';
import { createWorkerTable } from './worker-table.js';

type StoreInput = { root: string; connection: Connection; hasher: Hasher; clock: () => number };

/** Puts the tables of one open connection together. */
export function createStore({ root, connection, hasher, clock }: StoreInput): Store {
  const transactions = createTransactions(connection);
  const group = createGroupCommit(connection);
  const nodes = createNodeTable({ connection, hasher, clock });
  const events = createEventTable(connection, clock);
  const live = createLiveTable(connection);
  const leases = createLeaseTable(connection);
  const settings = createSettingTable(connection);
  const dataVersion = connection.value<number>('PRAGMA data_version');
  const checkpoint = connection.query<{ log: number; checkpointed: number }>(
    'PRAGMA wal_checkpoint(PASSIVE)',
  );
  const moveWal = (): number => {
    const row = checkpoint.get();
    return row === undefined ? 0 : row.log - row.checkpointed;
  };
  const id = settings.get(STORE_ID);
  if (id === null) throw new Error('the store has no id');
  const opened = fileIdentity(connection.path);
  return {
    root,
    id,
    nodes,
    threads: createThreadTable({ connection, transactions, nodes, leases, events, clock }),
    steps: createStepTable({ connection, nodes, leases, events, live, clock }),
    events,
    live,
    leases,
    workers: createWorkerTable(connection),
    idempotency: createIdempotencyTable(connection, clock),
    settings,
    write: transactions.write,
    read: transactions.read,
    enqueue: group.enqueue,
    dataVersion: () => dataVersion() ?? 0,
    isInPlace: () => opened !== null && fileIdentity(connection.path) === opened,
    upkeep: createUpkeep({ connection, nodes, hasher, clock, checkpoint: moveWal }),
    checkpoint: moveWal,
    close: () => {
      group.close();
      connection.close();
    },
  };
}
