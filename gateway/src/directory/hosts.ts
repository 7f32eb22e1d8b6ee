export type Hosts = {
  get(threadId: string): string | null;
  set(threadId: string, name: string): void;
  drop(threadId: string): void;
  /** Forgets every thread of a node. */
  dropAll(name: string): void;
};

/** Which node a thread is on, of the `max` threads that were asked for or seen last. */
export function createHosts(max: number): Hosts {
  /** The one that was not used for longest comes first. */
  const hosts = new Map<string, string>();

  const set = (threadId: string, name: string) => {
    hosts.delete(threadId);
    hosts.set(threadId, name);
    if (hosts.size <= max) return;
    for (const oldest of hosts.keys()) {
      hosts.delete(oldest);
      return;
    }
  };
  return {
    get(threadId) {
      const name = hosts.get(threadId);
      if (name === undefined) return null;
      set(threadId, name);
      return name;
    },
    set,
    drop: (threadId) => void hosts.delete(threadId),
    dropAll(name) {
      for (const [threadId, host] of hosts) if (host === name) hosts.delete(threadId);
    },
  };
}
