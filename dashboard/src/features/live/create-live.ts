import { createListeners, type Live } from './live.js';
import type { LiveChange } from './live-change.js';
import { createOwnLive } from './own-live.js';
import { createSharedLive } from './shared-live.js';

/** The one stream of this browser, or where that cannot be, one of this tab. Called once per page. */
export function createLive(): Live {
  if (typeof SharedWorker === 'undefined') return createOwnLive();
  const listeners = createListeners<LiveChange>();
  /** Threads that are shown, and what ends that at whoever holds the stream now. */
  const watches = new Map<symbol, { thread: string; end: () => void }>();
  let live: Live = createSharedLive(() => {
    live = createOwnLive();
    live.onChange(listeners.call);
    for (const watch of watches.values()) watch.end = live.watch(watch.thread);
  });
  live.onChange(listeners.call);
  return {
    state: () => live.state(),
    onChange: listeners.add,
    watch: (thread) => {
      const key = Symbol(thread);
      watches.set(key, { thread, end: live.watch(thread) });
      return () => {
        watches.get(key)?.end();
        watches.delete(key);
      };
    },
    restart: () => live.restart(),
  };
}
