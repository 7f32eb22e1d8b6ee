/** Runs what is given under one key one after the other, in the order in which it came; other keys do not wait. */
export type InTurn = <T>(key: string, task: () => Promise<T>) => Promise<T>;

export function createInTurn(): InTurn {
  /** The end of what was given last. */
  const last = new Map<string, Promise<void>>();
  return async (key, task) => {
    const before = last.get(key);
    const running = before === undefined ? task() : before.then(task);
    // How it ended is for whoever gave it; the next one only waits.
    const over = running.then(
      () => undefined,
      () => undefined,
    );
    last.set(key, over);
    try {
      return await running;
    } finally {
      if (last.get(key) === over) last.delete(key);
    }
  };
}
