import type { EventRow, Store } from '../../store/index.js';
import { EVENT_PAGE_ROWS } from '../limits.js';

export type TailListener = {
  /** Something was written. Events in order, each once; none of them when it was something else. */
  changed: (events: readonly EventRow[]) => void;
  /** The tailer stops; nothing more comes. */
  ended: () => void;
};

/** The one reader of a process that watches for what others write, and tells all who follow. */
export type Tailer = {
  /** A connection of its own: the version of the data does not move for own commits. */
  readonly store: Store;
  /** What is committed after this call is told. Returns the way out. */
  subscribe: (listener: TailListener) => () => void;
  /** How many follow. */
  followers: () => number;
  /** Ends all who follow; closes its connection. */
  close: () => void;
};

type TailerInput = {
  store: Store;
  lookEveryMs: number;
  /** Before each look. */
  onLook: () => void;
  /** A look failed; those who follow are ended and may come back. */
  onError: (error: unknown) => void;
};

/** Looks only while somebody follows. */
export function createTailer({ store, lookEveryMs, onLook, onError }: TailerInput): Tailer {
  const listeners = new Set<TailListener>();
  let timer: NodeJS.Timeout | null = null;
  let version = -1;
  let seq = 0;

  function look(): void {
    onLook();
    try {
      const now = store.dataVersion();
      if (now === version) return;
      version = now;
      for (;;) {
        const events = store.events.after({ seq, limit: EVENT_PAGE_ROWS });
        seq = events.at(-1)?.seq ?? seq;
        for (const listener of [...listeners]) listener.changed(events);
        if (events.length < EVENT_PAGE_ROWS) return;
      }
    } catch (error) {
      onError(error);
      endAll();
    }
  }

  function start(): void {
    if (timer !== null) return;
    version = store.dataVersion();
    seq = store.events.lastSeq();
    timer = setInterval(look, lookEveryMs);
  }

  function stop(): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
  }

  function endAll(): void {
    const all = [...listeners];
    listeners.clear();
    stop();
    for (const listener of all) listener.ended();
  }

  return {
    store,
    subscribe: (listener) => {
      start();
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    followers: () => listeners.size,
    close: () => {
      endAll();
      store.close();
    },
  };
}
