import { Problem } from '@uncaged/protocol/problem';
import type { Connection } from './connection.js';
import type { ThreadRow, ThreadStatus } from './types.js';

/**
 * What may follow what; anything else is a bug.
 *
 *   queued       claimed by its worker → running · killed before that → cancelled
 *   running      its owner lets go → paused | waiting | failed · its end → completed | failed | cancelled
 *                its owner died → interrupted
 *   waiting      answered → queued · the owner that asked died → interrupted · ended → failed | cancelled
 *   paused       resumed → queued · killed → cancelled
 *   interrupted  resumed → queued · killed → cancelled
 *   failed       only while it has no return code: retried → queued · killed → cancelled
 *   completed, cancelled: over
 */
const NEXT: Readonly<Record<ThreadStatus, readonly ThreadStatus[]>> = {
  queued: ['running', 'cancelled'],
  running: ['paused', 'waiting', 'interrupted', 'completed', 'failed', 'cancelled'],
  waiting: ['queued', 'interrupted', 'failed', 'cancelled'],
  paused: ['queued', 'cancelled'],
  interrupted: ['queued', 'cancelled'],
  failed: ['queued', 'cancelled'],
  completed: [],
  cancelled: [],
};

export const THREAD_STATUSES = Object.keys(NEXT) as ThreadStatus[];

/** Nothing but a fork goes on from here. */
export function isOver(thread: Pick<ThreadRow, 'status' | 'returnCode'>): boolean {
  if (thread.status === 'failed') return thread.returnCode !== null;
  return NEXT[thread.status].length === 0;
}

/** What may change together with the status; left out = stays. */
type Changes = Partial<
  Pick<
    ThreadRow,
    | 'desired'
    | 'reason'
    | 'problem'
    | 'options'
    | 'fence'
    | 'queuedAt'
    | 'startedAt'
    | 'endedAt'
    | 'returnCode'
    | 'summary'
  >
> & { headId?: number };

/** The one setter of `thread.status`. Throws Error for a step that the table does not allow. */
export type SetStatus = (thread: ThreadRow, status: ThreadStatus, changes: Changes) => ThreadRow;

export function createSetStatus(connection: Connection, clock: () => number): SetStatus {
  const update = connection.change(`
    UPDATE thread SET status=?, desired=?, reason=?, problem=?, options=?, fence=?, queuedAt=?, startedAt=?, endedAt=?,
      returnCode=?, summary=?, head=coalesce(?, head), updatedAt=?
    WHERE id=? AND status=?`);
  return (thread, status, { headId, ...changes }) => {
    if (isOver(thread) || !NEXT[thread.status].includes(status)) {
      throw new Error(`thread ${thread.id} cannot go from ${thread.status} to ${status}`);
    }
    const next: ThreadRow = inOrder({ ...thread, ...changes, status, updatedAt: clock() });
    const { changes: rows } = update(
      next.status,
      next.desired,
      next.reason,
      next.problem === null ? null : JSON.stringify(next.problem),
      JSON.stringify(next.options),
      next.fence,
      next.queuedAt,
      next.startedAt,
      next.endedAt,
      next.returnCode,
      next.summary,
      headId ?? null,
      next.updatedAt,
      thread.id,
      thread.status,
    );
    if (rows !== 1)
      throw new Error(`status of thread ${thread.id} was not read in this transaction`);
    return next;
  };
}

/** The clock may have been set back meanwhile: nothing ends before it began. */
function inOrder(row: ThreadRow): ThreadRow {
  const { createdAt, updatedAt } = row;
  const startedAt = row.startedAt === null ? null : Math.max(row.startedAt, createdAt);
  const endedAt = row.endedAt === null ? null : Math.max(row.endedAt, startedAt ?? createdAt);
  return { ...row, startedAt, endedAt, updatedAt: Math.max(updatedAt, createdAt) };
}

/** Only a fork goes on from what was made elsewhere. Throws thread-state. */
export function refuseCopy({ id, status, imported }: ThreadRow): void {
  if (!imported) return;
  throw new Problem(
    'thread-state',
    `Thread ${id} is a copy from a pack and never runs here; fork it to go on: \`uwf thread fork ${id}\`.`,
    { details: { thread: id, status } },
  );
}

/** Problem for a request that this state does not allow; `what` is the infinitive, `instead` a sentence. */
export function threadState(thread: ThreadRow, what: string, instead: string): Problem {
  const code = thread.returnCode === null ? '' : ` with code ${thread.returnCode}`;
  return new Problem(
    'thread-state',
    `Thread ${thread.id} is ${thread.status}${code}: it cannot ${what}. ${instead}`,
    {
      details: { thread: thread.id, status: thread.status },
    },
  );
}
