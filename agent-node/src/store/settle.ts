import { END, type Hash, type ThreadId } from '@uncaged/protocol/ids';
import type { Connection } from './connection.js';
import { eventFailure, eventText } from './event-table.js';
import { type Leases, leaseLost } from './lease-table.js';
import type { Nodes } from './node-table.js';
import { threadOwned } from './requeue.js';
import type { EndCommit, EventTable, Settlement, ThreadTable } from './store.js';
import { isOver, refuseCopy, type SetStatus, threadState } from './thread-status.js';
import type { EventType, Failure, ThreadRow, ThreadStatus } from './types.js';

type SettleInput = {
  connection: Connection;
  nodes: Nodes;
  leases: Leases;
  events: EventTable;
  setStatus: SetStatus;
  get: (id: ThreadId) => ThreadRow | null;
  need: (id: ThreadId) => ThreadRow;
  clock: () => number;
};

/** Return code of a thread that was killed: 128 + SIGINT, as shells have it. */
const KILLED = 130;

/** How threads come to rest: by their owner (`settle`), or by anyone when there is none (`cancelIdle`). */
export function createSettle({
  connection,
  nodes,
  leases,
  events,
  setStatus,
  get,
  need,
  clock,
}: SettleInput): Pick<ThreadTable, 'settle' | 'cancelIdle'> {
  const closeSteps = connection.change(
    "UPDATE step SET status=?, problem=?, committedAt=max(startedAt, ?) WHERE thread=? AND status='running'",
  );
  const clearLive = connection.change('DELETE FROM live WHERE thread=?');

  function putEnd(thread: ThreadRow, end: EndCommit): { hash: Hash; id: number } {
    const { returnCode, summary, ownSummary, startedAt, timestamp } = end;
    const state = {
      role: END,
      attempt: 1,
      start: thread.start,
      content: null,
      meta: { returnCode, summary, ownSummary },
      ancestors: thread.head === thread.start ? [] : nodes.after(thread.head),
      compact: null,
      childThread: null,
      agent: null,
      session: null,
      usage: null,
      startedAt,
      timestamp,
    };
    return nodes.putState(state, [], new Map());
  }

  function finish(
    thread: ThreadRow,
    status: ThreadStatus,
    end: EndCommit,
    problem: Failure | null,
  ): Hash {
    const { hash, id } = putEnd(thread, end);
    const { returnCode, summary } = end;
    setStatus(thread, status, {
      headId: id,
      returnCode,
      summary,
      problem,
      reason: null,
      endedAt: clock(),
    });
    events.append({
      thread: thread.id,
      type: `thread.${status}` as EventType,
      data: {
        hash,
        returnCode,
        summary: eventText(summary),
        ...(problem === null ? {} : { problem: eventFailure(problem) }),
      },
    });
    return hash;
  }

  function rest(thread: ThreadRow, outcome: Exclude<Settlement, { status: 'ended' }>): void {
    const { id } = thread;
    switch (outcome.status) {
      case 'paused':
        setStatus(thread, 'paused', { reason: outcome.reason });
        events.append({ thread: id, type: 'thread.paused', data: { reason: outcome.reason } });
        return;
      case 'waiting':
        setStatus(thread, 'waiting', {});
        events.append({ thread: id, type: 'thread.waiting', data: {} });
        return;
      case 'failed':
        setStatus(thread, 'failed', { problem: outcome.problem, endedAt: clock() });
        events.append({
          thread: id,
          type: 'thread.failed',
          data: { problem: eventFailure(outcome.problem) },
        });
    }
  }

  return {
    settle: (id, fence, outcome) => {
      leases.check(id, fence);
      const thread = get(id);
      if (thread === null) throw leaseLost(id);
      if (outcome.status === 'ended') {
        finish(thread, statusOfCode(outcome.end.returnCode), outcome.end, outcome.problem ?? null);
      } else {
        rest(thread, outcome);
      }
      // What could not say itself how it ended (its commit failed, say) ended with the thread.
      const problem = outcome.status === 'failed' ? JSON.stringify(outcome.problem) : null;
      closeSteps(problem === null ? 'cancelled' : 'failed', problem, clock(), id);
      clearLive(id);
      leases.drop(id);
    },
    cancelIdle: (id, end) => {
      if (end.returnCode !== KILLED)
        throw new Error(`a cancelled thread has return code ${KILLED}`);
      const thread = need(id);
      refuseCopy(thread);
      const lease = leases.get(id);
      if (lease !== null) throw threadOwned(thread, lease);
      if (isOver(thread)) throw threadState(thread, 'be cancelled', 'It is over.');
      return finish(thread, 'cancelled', end, null);
    },
  };
}

function statusOfCode(returnCode: number): ThreadStatus {
  if (returnCode === 0) return 'completed';
  return returnCode === KILLED ? 'cancelled' : 'failed';
}
