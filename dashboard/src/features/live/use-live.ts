import { createContext, useContext, useEffect, useSyncExternalStore } from 'react';
import type { Live } from './live.js';
import type { LiveState } from './live-state.js';

const LiveContext = createContext<Live | null>(null);

export const LiveProvider = LiveContext.Provider;

export function useLiveSource(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('There is no LiveProvider above this component.');
  return live;
}

/**
 * A part of what the stream has told. `select` must give the same object as long as nothing changed: a field, not a copy.
 */
export function useLive<T>(select: (state: LiveState) => T): T {
  const live = useLiveSource();
  return useSyncExternalStore(live.onChange, () => select(live.state()));
}

/** While the component is there, the live text of this thread comes. */
export function useWatch(thread: string, on: boolean): void {
  const live = useLiveSource();
  useEffect(() => (on ? live.watch(thread) : undefined), [live, thread, on]);
}
