import { createSystemClock } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connectionLimits as limits } from './limits.js';
import { retryDelayMs, sleep } from './retry.js';

const lost = new Problem('link-lost', 'x');

describe('the wait before another attempt', () => {
  it('doubles its limit to the cap, and takes any part of it', () => {
    const delays = [1, 2, 3, 6, 7, 8, 1_000, 1e9].map((failures) =>
      retryDelayMs({ problem: lost, failures, gateways: 1, random: () => 0.5, limits }),
    );
    expect(delays).toEqual([250, 500, 1_000, 8_000, 15_000, 15_000, 15_000, 15_000]);
  });

  it('is short until each gateway was tried, and grows by the round', () => {
    const delays = [1, 2, 3, 4, 5, 6].map((failures) =>
      retryDelayMs({ problem: lost, failures, gateways: 3, random: () => 0.5, limits }),
    );
    expect(delays).toEqual([250, 250, 250, 250, 250, 500]);
  });

  it('is never shorter than what the gateway asks for, and never longer than that and the cap', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: limits.retryAfterMaxMs }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (failures, gateways, retryAfterMs, random) => {
          const problem = new Problem('unreachable', 'x', { details: { retryAfterMs } });
          const delay = retryDelayMs({ problem, failures, gateways, random: () => random, limits });
          expect(delay).toBeGreaterThanOrEqual(retryAfterMs);
          expect(delay).toBeLessThanOrEqual(retryAfterMs + limits.retryMaxMs);
        },
      ),
    );
  });

  it('ends with the signal, also with one that has aborted before', async () => {
    const abort = new AbortController();
    const slept = sleep(3_600_000, createSystemClock(), abort.signal);
    abort.abort();
    await slept;
    await sleep(3_600_000, createSystemClock(), abort.signal);
  });
});
