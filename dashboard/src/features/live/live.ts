import type { LiveChange } from './live-change.js';
import type { LiveState } from './live-state.js';

/** What a tab knows of the stream, wherever that is held. */
export type Live = {
  state: () => LiveState;
  /** Called after each change, with the state as it is then. */
  onChange: (listener: (change: LiveChange) => void) => () => void;
  /** This tab shows a thread: its live text comes until the returned function is called. */
  watch: (thread: string) => () => void;
  restart: () => void;
};

export type Listeners<T> = {
  add: (listener: (value: T) => void) => () => void;
  call: (value: T) => void;
};

export function createListeners<T>(): Listeners<T> {
  const all = new Set<(value: T) => void>();
  return {
    add: (listener) => {
      all.add(listener);
      return () => all.delete(listener);
    },
    call: (value) => {
      for (const listener of [...all]) listener(value);
    },
  };
}

export type Watched = { threads: () => string[]; add: (thread: string) => () => void };

/** Threads that this tab shows, each as often as something shows it. */
export function createWatched(onChange: () => void): Watched {
  const counts = new Map<string, number>();
  const change = (thread: string, by: number): void => {
    const count = (counts.get(thread) ?? 0) + by;
    if (count === 0) counts.delete(thread);
    else counts.set(thread, count);
    onChange();
  };
  return {
    threads: () => [...counts.keys()],
    add: (thread) => {
      change(thread, 1);
      return () => change(thread, -1);
    },
  };
}
