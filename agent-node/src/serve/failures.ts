import { Problem } from '@uncaged/protocol/problem';
import type { ServeLimits } from './limits.js';

const SECOND_MS = 1000;

/** Wrong tokens by address, so that nobody can try many. */
export type Failures = {
  /** Throws rate-limited while the address has to wait. */
  check: (address: string) => void;
  add: (address: string) => void;
};

/** `now`: ms of a clock that only moves forward. */
export function createFailures(
  { failuresMax, failureWindowMs, addressesMax }: ServeLimits,
  now: () => number,
): Failures {
  /** Oldest window first, because a Map keeps the order of insertion. */
  const windows = new Map<string, { count: number; endsAt: number }>();

  function current(address: string): { count: number; endsAt: number } | null {
    const window = windows.get(address);
    if (window === undefined) return null;
    if (window.endsAt > now()) return window;
    windows.delete(address);
    return null;
  }

  return {
    check: (address) => {
      const window = current(address);
      if (window === null || window.count < failuresMax) return;
      const retryAfterS = Math.max(1, Math.ceil((window.endsAt - now()) / SECOND_MS));
      throw new Problem(
        'rate-limited',
        `Too many wrong tokens came from ${address}; try again in ${retryAfterS} s.`,
        { details: { retryAfterS } },
      );
    },
    add: (address) => {
      const window = current(address);
      if (window !== null) {
        window.count += 1;
        return;
      }
      const oldest = windows.size < addressesMax ? undefined : windows.keys().next().value;
      if (oldest !== undefined) windows.delete(oldest);
      windows.set(address, { count: 1, endsAt: now() + failureWindowMs });
    },
  };
}
