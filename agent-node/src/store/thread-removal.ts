import type { ThreadId } from '@uncaged/protocol/ids';
import type { Connection } from './connection.js';
import type { EventTable, ThreadTable } from './store.js';
import { SELECT_THREAD, type StoredThread, toThreadRow } from './thread-row.js';
import { isOver, threadState } from './thread-status.js';
import type { ThreadRow, ThreadStatus } from './types.js';

type RemovalInput = {
  connection: Connection;
  events: EventTable;
  get: (id: ThreadId) => ThreadRow | null;
  need: (id: ThreadId) => ThreadRow;
};

/** Tables with rows of a thread, beside its own. */
const TABLES_OF_THREAD = ['step', 'live', 'lease', 'question', 'session', 'idempotency', 'event'];

/** Somebody has it, or is about to. */
const BUSY: ReadonlySet<ThreadStatus> = new Set(['queued', 'running', 'waiting']);

/**
 * A thread goes with those nested in it, however deep: without it nobody waits for them, and they are not what anybody started.
 * What a fork needs of them is nodes, and those stay until nothing needs them.
 */
export function createRemoval({
  connection,
  events,
  get,
  need,
}: RemovalInput): Pick<ThreadTable, 'remove'> {
  // Copies came with a copy; where only one of the two is one, they are of different makes.
  const below = connection.query<StoredThread>(`
    WITH RECURSIVE below(id) AS (
      SELECT id FROM thread WHERE parent=? AND imported=?
      UNION SELECT thread.id FROM below JOIN thread ON thread.parent=below.id WHERE thread.imported=?)
    ${SELECT_THREAD} WHERE thread.id IN (SELECT id FROM below) ORDER BY thread.depth, thread.id`);
  const deletes = [
    ...TABLES_OF_THREAD.map((table) => `${table} WHERE thread=?`),
    'thread WHERE id=?',
  ].map((rest) => connection.change(`DELETE FROM ${rest}`));

  /** Whoever removed it would leave the other without the one it waits for. */
  function refuseNeeded(thread: ThreadRow): void {
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

  return {
    remove: (id) => {
      const thread = need(id);
      if (BUSY.has(thread.status))
        throw threadState(thread, 'be removed', `End it first: \`uwf thread kill ${id}\`.`);
      refuseNeeded(thread);
      const copy = thread.imported ? 1 : 0;
      const nested = below.all(id, copy, copy).map(toThreadRow);
      const busy = nested.find(({ status }) => BUSY.has(status));
      if (busy !== undefined)
        throw threadState(
          thread,
          'be removed',
          `Thread ${busy.id}, nested in it, is ${busy.status}; end that first: \`uwf thread kill ${busy.id}\`.`,
        );
      const removed = [thread, ...nested];
      for (const { id: each, workflow } of removed) {
        for (const remove of deletes) remove(each);
        events.append({ thread: each, type: 'thread.removed', data: { workflow } });
      }
      return removed;
    },
  };
}
