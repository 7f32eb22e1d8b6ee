import { decodeHash, type ThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import { createClaim } from './claim.js';
import type { Connection } from './connection.js';
import { createCopy } from './copied-thread.js';
import { createFork } from './fork.js';
import { createInterrupt } from './interrupt.js';
import type { Leases } from './lease-table.js';
import type { Nodes } from './node-table.js';
import { createRequeue } from './requeue.js';
import { createSettle } from './settle.js';
import type { EventTable, ThreadTable } from './store.js';
import { createCountByStatus, createThreadList } from './thread-list.js';
import { createOpenDescendants, createRelatives } from './thread-relatives.js';
import { createRemoval } from './thread-removal.js';
import { SELECT_THREAD, type StoredThread, toThreadRow } from './thread-row.js';
import { createSetStatus, isOver, refuseCopy, threadState } from './thread-status.js';
import type { Transactions } from './transactions.js';
import type { NewThread, ThreadRow } from './types.js';

type ThreadTableInput = {
  connection: Connection;
  transactions: Transactions;
  nodes: Nodes;
  leases: Leases;
  events: EventTable;
  clock: () => number;
};

/** Last of all characters that ids are made of, and more: the end of a range of ids. */
const AFTER_IDS = '~';

export function createThreadTable(input: ThreadTableInput): ThreadTable {
  const { connection, nodes, events, clock } = input;
  const select = connection.query<StoredThread>(`${SELECT_THREAD} WHERE thread.id=?`);
  const insert = connection.change(`
    INSERT INTO thread(id, workflow, version, kind, worker, start, head, status, desired, options, prompt200, workspace,
      depth, parent, parentSeq, forkedFrom, forkedSeq, imported, createdAt, queuedAt, updatedAt)
    VALUES(?, ?, ?, ?, ?, ?, ?, 'queued', 'run', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const ids = connection.query<{ id: ThreadId }>(
    'SELECT id FROM thread WHERE id>=? AND id<? ORDER BY id LIMIT ?',
  );
  const setDesired = connection.change('UPDATE thread SET desired=?, updatedAt=? WHERE id=?');
  const ofWorkspace = connection.value<number>(
    'SELECT 1 FROM thread WHERE workspace=? OR (workspace>? AND workspace<?) LIMIT 1',
  );
  const setStatus = createSetStatus(connection, clock);
  const openDescendants = createOpenDescendants(connection);
  const attemptsAt = connection.value<number>(
    'SELECT max(attempt) FROM step WHERE thread=? AND seq=?',
  );
  const attempts = (thread: ThreadId, seq: number): number => attemptsAt(thread, seq) ?? 0;

  function get(id: ThreadId): ThreadRow | null {
    const stored = select.get(id);
    return stored === undefined ? null : toThreadRow(stored);
  }

  function need(id: ThreadId): ThreadRow {
    const thread = get(id);
    if (thread === null) throw new Problem('thread-not-found', `There is no thread ${id}.`);
    return thread;
  }

  function create(thread: NewThread): void {
    const start = nodes.idOf(thread.start);
    if (start === null)
      throw new Problem('node-not-found', `There is no start node ${thread.start}.`);
    const version = decodeHash(thread.version);
    if (version === null) throw new Problem('invalid-id', `${thread.version} is not a hash.`);
    insert(
      thread.id,
      thread.workflow,
      version,
      thread.kind,
      thread.worker,
      start,
      start,
      JSON.stringify(thread.options),
      thread.prompt200,
      thread.workspace,
      thread.depth,
      thread.parent,
      thread.parentSeq,
      thread.forkedFrom,
      thread.forkedSeq,
      thread.imported ? 1 : 0,
      thread.createdAt,
      thread.createdAt,
      thread.createdAt,
    );
    events.append({
      thread: thread.id,
      type: 'thread.queued',
      data: { workflow: thread.workflow, ...originData(thread) },
    });
  }

  const shared = { ...input, setStatus, get, need, attempts };
  return {
    create,
    get,
    findByPrefix: (prefix, limit) =>
      ids.all(prefix, `${prefix}${AFTER_IDS}`, limit).map((row) => row.id),
    list: createThreadList(connection),
    countByStatus: createCountByStatus(connection),
    setDesired: (id, desired) => {
      const thread = need(id);
      refuseCopy(thread);
      if (isOver(thread)) throw threadState(thread, `be told to ${desired}`, 'It is over.');
      setDesired(desired, clock(), id);
    },
    ...createClaim(shared),
    ...createSettle(shared),
    ...createRequeue(shared),
    ...createFork({ ...shared, create }),
    ...createCopy(shared),
    ...createRemoval(shared),
    relatives: createRelatives(connection),
    openDescendants,
    interruptDead: createInterrupt(shared),
    // What begins with the path and a slash lies between it with a slash and with the character behind that.
    worksIn: (path) => ofWorkspace(path, `${path}/`, `${path}0`) !== undefined,
  };
}

function originData({
  forkedFrom,
  forkedSeq,
  parent,
  parentSeq,
}: NewThread): Record<string, unknown> {
  if (parent !== null) return { parent, parentSeq };
  return forkedFrom === null ? {} : { forkedFrom, forkedSeq };
}
