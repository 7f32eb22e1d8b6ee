import type { LinkClock } from './clock.js';

export type ManualClock = LinkClock & {
  /** Runs everything that is due at once, promises included. */
  settle(): Promise<void>;
  /** Lets time pass, timer by timer. */
  advance(ms: number): Promise<void>;
  /** Timers that are still to come. */
  pending(): number;
};

/** A clock that goes when it is told to. */
export function createManualClock(): ManualClock {
  let now = 0;
  let turn: (() => void)[] = [];
  const timers = new Set<{ at: number; task: () => void }>();

  const settle = async () => {
    do {
      const tasks = turn;
      turn = [];
      for (const task of tasks) task();
      // A macrotask of the process: by then every promise that can go on has gone on.
      await new Promise((resolve) => setTimeout(resolve, 0));
    } while (turn.length > 0);
  };
  return {
    now: () => now,
    soon: (task) => void turn.push(task),
    after(delayMs, task) {
      const timer = { at: now + delayMs, task };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    settle,
    async advance(ms) {
      const until = now + ms;
      for (;;) {
        await settle();
        const due = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers.delete(due);
        now = due.at;
        due.task();
      }
      now = until;
    },
    pending: () => timers.size,
  };
}
