import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createExpiry } from './expiry.js';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const clock = {
  now: () => Date.now(),
  soon: () => undefined,
  after(delayMs: number, task: () => void) {
    // What Node does with a delay it cannot hold.
    const timer = setTimeout(task, delayMs > 2 ** 31 - 1 ? 1 : delayMs);
    return () => clearTimeout(timer);
  },
};

it('looks when the earliest time has come, and then at the next', () => {
  const ends = [5_000, 3_000, 9_000];
  const looks: number[] = [];
  const expiry = createExpiry(clock, Date.now, 60_000, () => {
    looks.push(Date.now());
    const left = ends.filter((at) => at > Date.now());
    return left.length === 0 ? null : Math.min(...left);
  });
  for (const at of ends) expiry.watch(at);
  expiry.watch(null);
  vi.advanceTimersByTime(100_000);
  expect(looks).toEqual([3_000, 5_000, 9_000]);
});

it('waits for what is years away without a busy loop, and stops when told', () => {
  let looks = 0;
  const far = 2 ** 40;
  const expiry = createExpiry(clock, Date.now, 60_000, () => {
    looks += 1;
    return far;
  });
  expiry.watch(far);
  vi.advanceTimersByTime(600_000);
  expect(looks).toBe(10);
  expiry.stop();
  expect(vi.getTimerCount()).toBe(0);
});
