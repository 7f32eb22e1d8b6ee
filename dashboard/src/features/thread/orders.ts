import type { ThreadSummary } from '@uncaged/protocol/api';
import type { Order } from '../../api/index.js';

type Standing = Pick<ThreadSummary, 'status' | 'desired' | 'retryable' | 'imported'>;

/** What each order will do, for the person who is about to give it. */
export const ORDER_EFFECTS: Record<Order, string> = {
  pause: 'Lets the step in flight finish, then stops. Nothing is lost.',
  resume: 'Goes on with the next step.',
  kill: 'Ends the thread now, with everything its agents started. What was stored stays.',
  retry: 'Tries the failed step again, as its next attempt.',
};

/** Why an order makes no sense now; null: it does. */
export function orderRefusal(
  order: Order,
  { status, desired, retryable, imported }: Standing,
): string | null {
  if (imported) return 'A copy from a pack: it can be read and forked, not run.';
  const isOver = status === 'completed' || status === 'failed' || status === 'cancelled';
  switch (order) {
    case 'pause':
      if (status !== 'running' && status !== 'queued')
        return `A thread that is ${status} does not run.`;
      if (desired === 'pause') return 'It pauses as soon as the step in flight is done.';
      return desired === 'kill' ? 'It is being ended.' : null;
    case 'resume':
      if (status === 'paused' || status === 'interrupted') return null;
      if (status === 'running' && desired === 'pause') return null;
      return status === 'waiting'
        ? 'It waits for an answer.'
        : `A thread that is ${status} cannot be resumed.`;
    case 'kill':
      if (isOver) return `It is over: ${status}.`;
      return desired === 'kill' ? 'It is being ended.' : null;
    case 'retry':
      if (status !== 'failed') return `A thread that is ${status} has nothing to retry.`;
      return retryable ? null : 'It came to its end; only a new thread goes on from here.';
  }
}

/** Orders worth a button now: what makes no sense at all is not shown. */
export function ordersFor({ status, imported }: Standing): Order[] {
  if (imported) return [];
  switch (status) {
    case 'queued':
    case 'running':
      return ['pause', 'kill'];
    case 'waiting':
      return ['kill'];
    case 'paused':
    case 'interrupted':
      return ['resume', 'kill'];
    case 'failed':
      return ['retry'];
    case 'completed':
    case 'cancelled':
      return [];
  }
}
