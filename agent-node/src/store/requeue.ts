import type { ThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Leases } from './lease-table.js';
import type { EventTable, ThreadTable } from './store.js';
import { isOver, refuseCopy, type SetStatus, threadState } from './thread-status.js';
import type { LeaseRow, ThreadOptions, ThreadRow, ThreadStatus } from './types.js';

type RequeueInput = {
  leases: Leases;
  events: EventTable;
  setStatus: SetStatus;
  need: (id: ThreadId) => ThreadRow;
  /** Attempts made for a step so far. */
  attempts: (thread: ThreadId, seq: number) => number;
  clock: () => number;
};

const RESUMABLE: ReadonlySet<ThreadStatus> = new Set(['paused', 'waiting', 'interrupted']);

export function createRequeue({
  leases,
  events,
  setStatus,
  need,
  attempts,
  clock,
}: RequeueInput): Pick<ThreadTable, 'requeue'> {
  return {
    requeue: (id, { retry, raise }) => {
      const thread = need(id);
      refuseCopy(thread);
      const lease = leases.get(id);
      if (lease !== null) throw threadOwned(thread, lease);
      if (
        !RESUMABLE.has(thread.status) &&
        !(retry && thread.status === 'failed' && !isOver(thread))
      ) {
        throw threadState(thread, retry ? 'be retried' : 'be resumed', adviceFor(thread));
      }
      setStatus(thread, 'queued', {
        desired: 'run',
        reason: null,
        problem: null,
        endedAt: null,
        queuedAt: clock(),
        options: { ...mergeOptions(thread.options, raise ?? {}), ...marksOf(thread, attempts) },
      });
      events.append({ thread: id, type: 'thread.queued', data: { workflow: thread.workflow } });
    },
  };
}

/** A person has looked at it: the loop guard, and the attempts of the step that failed, are counted from here. */
function marksOf(
  { id, status, reason, steps, options: { marks } }: ThreadRow,
  attempts: RequeueInput['attempts'],
): Pick<ThreadOptions, 'marks'> {
  const known = marks ?? { loopFrom: 0, retried: null };
  if (status === 'paused' && reason === 'loop') return { marks: { ...known, loopFrom: steps } };
  if (status !== 'failed') return marks === undefined ? {} : { marks };
  const seq = steps + 1;
  return { marks: { ...known, retried: { seq, attempts: attempts(id, seq) } } };
}

/** Only what is given (not null) changes; a step to stop at holds for one time. */
export function mergeOptions(options: ThreadOptions, raise: Partial<ThreadOptions>): ThreadOptions {
  const { budget } = raise;
  return {
    agents: { ...options.agents, ...raise.agents },
    maxSteps: raise.maxSteps ?? options.maxSteps,
    maxVisits: raise.maxVisits ?? options.maxVisits,
    budget:
      budget == null
        ? options.budget
        : {
            tokens: budget.tokens ?? options.budget?.tokens ?? null,
            usd: budget.usd ?? options.budget?.usd ?? null,
          },
    stopAt: raise.stopAt ?? null,
  };
}

function adviceFor(thread: ThreadRow): string {
  if (isOver(thread))
    return `It is over; only a fork goes on from it: \`uwf thread fork ${thread.id}\`.`;
  if (thread.status === 'failed')
    return `To try the failed step again: \`uwf thread retry ${thread.id}\`.`;
  return thread.status === 'queued' ? 'It waits for its turn already.' : 'It runs already.';
}

export function threadOwned(thread: ThreadRow, lease: LeaseRow): Problem {
  return new Problem(
    'thread-owned',
    `Thread ${thread.id} is ${thread.status}; process ${lease.pid} has it. ` +
      `To stop it there: \`uwf thread pause ${thread.id}\`.`,
    { details: { thread: thread.id, status: thread.status, pid: lease.pid } },
  );
}
