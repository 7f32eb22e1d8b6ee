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

/** Tables with rows of a thread, beside its own. */
const TABLES_OF_THREAD = ['step', 'live', 'lease', 'question', 'session', 'idempotency', 'event'];

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
  const busyChild = connection.value<ThreadId>(
    "SELECT id FROM thread WHERE parent=? AND status IN ('queued', 'running', 'waiting') LIMIT 1",
  );
  const ofWorkspace = connection.value<number>(
    'SELECT 1 FROM thread WHERE workspace=? OR (workspace>? AND workspace<?) LIMIT 1',
  );
  const deletes = [
    ...TABLES_OF_THREAD.map((table) => `${table} WHERE thread=?`),
    'thread WHERE id=?',
  ].map((rest) => connection.change(`DELETE FROM ${rest}`));
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

  /** Whoever removed one of them would leave the other without anybody who waits for it, or whom it waits for. */
  function refuseNested(thread: ThreadRow): void {
    const nested = openDescendants(thread.id).find(({ status }) => status !== 'failed');
    if (nested !== undefined)
      throw threadState(
        thread,
        'be removed',
        `Thread ${nested.id}, nested in it, is ${nested.status}; end both first: \`uwf thread kill ${thread.id}\`.`,
      );
    const above = thread.parent === null || thread.imported ? null : get(thread.parent);
    // One that failed is at rest: retried, it starts another.
    const isNeeded = above !== null && above.status !== 'failed' && !isOver(above);
    if (isNeeded && !above.imported)
      throw threadState(
        thread,
        'be removed',
        `It is a step of thread ${above.id}, which is ${above.status}; end that first: \`uwf thread kill ${above.id}\`.`,
      );
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
    relatives: createRelatives(connection),
    openDescendants,
    interruptDead: createInterrupt(shared),
    // What begins with the path and a slash lies between it with a slash and with the character behind that.
    worksIn: (path) => ofWorkspace(path, `${path}/`, `${path}0`) !== undefined,
    remove: (id) => {
      const thread = need(id);
      if (
        thread.status === 'queued' ||
        thread.status === 'running' ||
        thread.status === 'waiting'
      ) {
        throw threadState(thread, 'be removed', `End it first: \`uwf thread kill ${id}\`.`);
      }
      const child = busyChild(id);
      if (child !== undefined) {
        throw threadState(
          thread,
          'be removed',
          `Thread ${child}, which is nested in it, is not over: end that first: \`uwf thread kill ${child}\`.`,
        );
      }
      refuseNested(thread);
      for (const remove of deletes) remove(id);
      events.append({ thread: id, type: 'thread.removed', data: { workflow: thread.workflow } });
    },
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
