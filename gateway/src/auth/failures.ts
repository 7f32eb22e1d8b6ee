import { Problem } from '@uncaged/protocol/problem';
import { groupOf } from './address-group.js';
import { ADDRESSES_MAX } from './limits.js';
import type { Address } from './types.js';

const SECOND_MS = 1000;

/**
 * Counts wrong secrets by address. Only what can be guessed counts: the gateway's key, and whatever is tried at the login. A
 * signed token cannot be guessed, so a wrong one on its own never locks anybody out.
 */
export type Failures = {
  /** Throws rate-limited (with `retryAfterS`) for an address that has had its tries. To be asked before a secret is looked at. */
  check: (address: Address) => void;
  add: (address: Address) => void;
};

type Count = { failures: number; since: number };

/** `max` wrong ones within `windowMs` of the first, then none until that window is over. `clock`: ms. */
export function createFailures({
  max,
  windowMs,
  clock,
}: {
  max: number;
  windowMs: number;
  clock: () => number;
}): Failures {
  /** By when their window began: the first is the first to be over. */
  const counts = new Map<string, Count>();

  function current(group: string): Count | null {
    const count = counts.get(group);
    if (count === undefined) return null;
    const ageMs = clock() - count.since;
    // A clock that was set back must not lock anybody out for longer.
    if (ageMs >= 0 && ageMs < windowMs) return count;
    counts.delete(group);
    return null;
  }

  return {
    check(address) {
      const count = current(groupOf(address));
      if (count === null || count.failures < max) return;
      const retryAfterS = Math.max(1, Math.ceil((count.since + windowMs - clock()) / SECOND_MS));
      throw new Problem(
        'rate-limited',
        `Too many wrong tokens came from this address. Try again in ${retryAfterS} s.`,
        { details: { retryAfterS } },
      );
    },
    add(address) {
      const group = groupOf(address);
      const count = current(group);
      if (count !== null) {
        count.failures++;
        return;
      }
      if (counts.size >= ADDRESSES_MAX) counts.delete(counts.keys().next().value!);
      counts.set(group, { failures: 1, since: clock() });
    },
  };
}
