/** Time of a client, handed in. */
export type ClientClock = {
  /** ms since epoch. */
  now(): number;
  /** Runs `task` once, after `delayMs`; returns what calls it off. */
  after(delayMs: number, task: () => void): () => void;
};

export const systemClock: ClientClock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};
