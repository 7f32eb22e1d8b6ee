/** Time and turns, handed in. */
export type LinkClock = {
  /** Milliseconds that only ever go forward; where they began is of no matter. */
  now(): number;
  /** Runs `task` once, after `delayMs`; returns what calls it off. */
  after(delayMs: number, task: () => void): () => void;
  /** Runs `task` once what is ready now has been handled, at the latest before the process would wait. */
  soon(task: () => void): void;
};

/** The clock of the process: `performance.now`, `setTimeout`, and `setImmediate` where there is one (Node). */
export function createSystemClock(): LinkClock {
  const { setImmediate } = globalThis as { setImmediate?: (task: () => void) => unknown };
  return {
    now: () => performance.now(),
    after(delayMs, task) {
      const timer = setTimeout(task, delayMs);
      return () => clearTimeout(timer);
    },
    soon(task) {
      if (setImmediate === undefined) setTimeout(task, 0);
      else setImmediate(task);
    },
  };
}
