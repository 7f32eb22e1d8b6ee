import { Problem } from '@uncaged/protocol/problem';
import { describe, expect, it } from 'vitest';
import { RETRY_BACKOFF_MAX_MS } from './limits.js';
import { backOff, retryDelayMs } from './retry-policy.js';
import { PauseThread } from './stop.js';

const failed = new Problem('agent-failed', 'it fell');
const retry = { maxAttempts: 4, backoff: 100 };
const delays = (random: number) =>
  [1, 2, 3, 4].map((count) => retryDelayMs(retry, count, failed, () => random));

describe('the wait before the next attempt', () => {
  it('doubles, between half of it and all of it, until the attempts are used up', () => {
    expect(delays(0)).toEqual([50, 100, 200, null]);
    expect(delays(0.999_999)).toEqual([100, 200, 400, null]);
  });

  it('has a bound, unless the first wait is longer', () => {
    const often = { maxAttempts: 1_000, backoff: 1_000 };
    expect(retryDelayMs(often, 900, failed, () => 1)).toBe(RETRY_BACKOFF_MAX_MS);
    const long = { maxAttempts: 5, backoff: 2 * RETRY_BACKOFF_MAX_MS };
    expect(retryDelayMs(long, 3, failed, () => 1)).toBe(long.backoff);
  });

  it('is none without retry, and for what will not go away by itself', () => {
    expect(retryDelayMs(null, 1, failed, () => 0)).toBeNull();
    for (const code of [
      'cancelled',
      'secret-unresolved',
      'agent-not-found',
      'no-route',
      'max-depth',
      'child-failed',
      'lease-lost',
    ] as const)
      expect(retryDelayMs(retry, 1, new Problem(code, ''), () => 0)).toBeNull();
    for (const code of ['timeout', 'answer-empty', 'answer-invalid'] as const)
      expect(retryDelayMs(retry, 1, new Problem(code, ''), () => 0)).toBe(50);
    expect(
      retryDelayMs(retry, 1, new Problem('agent-failed', '', { retryable: false }), () => 0),
    ).toBeNull();
    expect(retryDelayMs(retry, 1, new Error('a bug'), () => 0)).toBeNull();
  });

  it('has defaults for what retry leaves open', () => {
    const open = { maxAttempts: null, backoff: null };
    expect(retryDelayMs(open, 2, failed, () => 1)).toBe(10_000);
    expect(retryDelayMs(open, 3, failed, () => 1)).toBeNull();
  });
});

describe('waiting for the next attempt', () => {
  const never = () => new Promise<void>(() => undefined);
  const LONG_MS = 60_000;

  it('ends with the time', async () => {
    const signal = new AbortController().signal;
    await backOff({ signal, pauseRequested: () => false, nextChange: never }, 5);
  });

  it('ends at once with a kill, for the reason of that', async () => {
    const controller = new AbortController();
    const reason = new Problem('cancelled', 'killed');
    const waiting = backOff(
      { signal: controller.signal, pauseRequested: () => false, nextChange: never },
      LONG_MS,
    );
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('ends at once with a pause', async () => {
    let change: () => void = () => undefined;
    let isPaused = false;
    const waiting = backOff(
      {
        signal: new AbortController().signal,
        pauseRequested: () => isPaused,
        nextChange: () => new Promise((resolve) => (change = resolve)),
      },
      LONG_MS,
    );
    isPaused = true;
    change();
    await expect(waiting).rejects.toBeInstanceOf(PauseThread);
  });
});
