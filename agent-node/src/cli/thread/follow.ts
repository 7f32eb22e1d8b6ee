import { setTimeout as sleep } from 'node:timers/promises';
import type { ThreadId } from '@uncaged/protocol/ids';
import {
  type ExecutorLimits,
  getThread,
  hasLiveWorker,
  recoverDead,
} from '../../executor/index.js';
import type { EventRow, Store, ThreadRow } from '../../store/index.js';
import { EVENT_PAGE, FOLLOW_LOOK_MS, FOLLOW_RECOVER_MS } from './limits.js';
import { isAtRest } from './outcome.js';

type FollowInput = {
  store: Store;
  id: ThreadId;
  clock: () => number;
  limits: ExecutorLimits;
  signal: AbortSignal;
  /** Events up to this one are known already; from the first on unless given. */
  after?: number;
  onEvent: (event: EventRow) => void;
  /** Called between looks, when there was nothing new. */
  onIdle?: (row: ThreadRow) => void;
  /** It waits in the queue and no worker is there to take it: whoever started it, or that worker, was ended. */
  onStranded: (row: ThreadRow) => void | Promise<void>;
};

/**
 * Events of a thread in order, until it is at rest or the signal aborts. Returns the row then.
 * A dead owner is noticed on the way. Throws thread-not-found when the thread is removed meanwhile.
 */
export async function followThread(input: FollowInput): Promise<ThreadRow> {
  const { store, id, clock, limits, signal } = input;
  let seq = input.after ?? 0;
  let version = -1;
  let recoverAt = 0;
  for (;;) {
    if (performance.now() >= recoverAt) {
      await recoverDead(store, clock, limits);
      if (isStranded(input)) await input.onStranded(getThread(store, id));
      recoverAt = performance.now() + FOLLOW_RECOVER_MS;
    }
    // Row first: what it says is then in the events too.
    const row = getThread(store, id);
    const now = store.dataVersion();
    const events =
      version === now && !isAtRest(row)
        ? []
        : store.events.after({ seq, thread: id, limit: EVENT_PAGE });
    version = now;
    for (const event of events) {
      seq = event.seq;
      input.onEvent(event);
    }
    if (events.length === EVENT_PAGE) {
      version = -1;
      continue;
    }
    if (isAtRest(row) || signal.aborted) return row;
    input.onIdle?.(row);
    await sleep(FOLLOW_LOOK_MS);
  }
}

function isStranded({ store, id, clock, limits }: FollowInput): boolean {
  const { status, queuedAt, worker } = getThread(store, id);
  const isWaiting = status === 'queued' && clock() - queuedAt > limits.ownerWaitMs;
  return isWaiting && !hasLiveWorker(store, worker, limits);
}
