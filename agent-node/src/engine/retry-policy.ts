import { isProblem } from '@uncaged/protocol/problem';
import type { DefinitionRole } from '@uncaged/protocol/workflow';
import type { Store, ThreadRow } from '../store/index.js';
import type { ThreadControl } from './host.js';
import {
  RETRY_ATTEMPTS_DEFAULT,
  RETRY_BACKOFF_DEFAULT_MS,
  RETRY_BACKOFF_MAX_MS,
} from './limits.js';
import { PauseThread } from './stop.js';
import { nextChangeWithin } from './wait.js';

type Retry = DefinitionRole['retry'];

/**
 * ms to wait before the next attempt of a step, or null when there is to be none: without `retry` there is one attempt, and
 * only what may go away by itself is tried again. `failed`: attempts that failed since a person last retried it. The wait
 * doubles with each, up to a bound; of it the later half is random, so that threads that failed together come back apart.
 */
export function retryDelayMs(
  retry: Retry,
  failed: number,
  error: unknown,
  random: () => number,
): number | null {
  if (retry === null || !isProblem(error) || !error.retryable) return null;
  if (failed >= (retry.maxAttempts ?? RETRY_ATTEMPTS_DEFAULT)) return null;
  const first = retry.backoff ?? RETRY_BACKOFF_DEFAULT_MS;
  const whole = Math.min(first * 2 ** (failed - 1), Math.max(first, RETRY_BACKOFF_MAX_MS));
  return Math.round(whole * (0.5 + random() / 2));
}

/** Attempts at a step that failed and count: those since a person last said `retry`. */
export function failedAttempts(store: Store, { id, options }: ThreadRow, seq: number): number {
  const retried = options.marks?.retried ?? null;
  const before = retried?.seq === seq ? retried.attempts : 0;
  return store.steps
    .list(id, { after: { seq, attempt: before } })
    .filter((step) => step.seq === seq && step.status === 'failed').length;
}

/** Waits; a kill ends it with the reason of the signal, a pause with PauseThread. */
export async function backOff(control: ThreadControl, ms: number): Promise<void> {
  const until = performance.now() + ms;
  for (;;) {
    const isPaused = control.pauseRequested();
    control.signal.throwIfAborted();
    if (isPaused) throw new PauseThread('user');
    const left = until - performance.now();
    if (left <= 0) return;
    await nextChangeWithin(control, control.signal, left);
  }
}
