import { setTimeout as sleep } from 'node:timers/promises';
import { isProblem } from '@uncaged/protocol/problem';
import type { ApiLimits } from './limits.js';

/**
 * Runs what writes, again and again while another process is writing: an API's connection waits only shortly by itself,
 * because all other requests stand still meanwhile. Throws store-busy when it takes longer than `busyWaitMs`.
 */
export async function whenFree<T>(
  work: () => T | Promise<T>,
  limits: Pick<ApiLimits, 'busyWaitMs' | 'busyRetryMs'>,
): Promise<T> {
  const deadline = performance.now() + limits.busyWaitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isProblem(error, 'store-busy') || performance.now() > deadline) throw error;
    }
    await sleep(limits.busyRetryMs);
  }
}
