import type { LinkClock } from '@uncaged/protocol/link';

export type Expiry = {
  /** Something ends at `at`, ms since epoch; null: never. */
  watch(at: number | null): void;
  stop(): void;
};

/**
 * One timer for whatever expires. `look` is called when the earliest time has come, at the latest `lookMaxMs` after the look
 * before, and returns the next time; null: nothing expires.
 */
export function createExpiry(
  clock: LinkClock,
  now: () => number,
  lookMaxMs: number,
  look: () => number | null,
): Expiry {
  let planned: { at: number; callOff: () => void } | null = null;

  const plan = (at: number) => {
    planned?.callOff();
    // A timer may fire a moment before the time it was set to.
    const delayMs = Math.min(Math.max(at - now(), 1), lookMaxMs);
    const callOff = clock.after(delayMs, () => {
      planned = null;
      const next = look();
      if (next !== null) plan(next);
    });
    planned = { at, callOff };
  };
  return {
    watch(at) {
      if (at !== null && (planned === null || at < planned.at)) plan(at);
    },
    stop() {
      planned?.callOff();
      planned = null;
    },
  };
}
