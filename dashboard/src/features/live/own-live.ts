import { getSummary } from '../../api/index.js';
import { createHub, type Hub } from './hub.js';
import { createListeners, createWatched, type Live } from './live.js';
import type { LiveChange } from './live-change.js';
import { emptyLiveState, type LiveState } from './live-state.js';
import { openGatewayStream } from './stream.js';

/** A stream of this tab's own while it is visible, where there are no shared workers. */
export function createOwnLive(): Live {
  let hub: Hub | null = null;
  let last: LiveState = emptyLiveState;
  const listeners = createListeners<LiveChange>();
  const watched = createWatched(() => hub?.watch(watched.threads()));

  function follow(): void {
    if (document.visibilityState === 'hidden') {
      if (hub !== null) last = hub.state();
      hub?.close();
      hub = null;
      return;
    }
    if (hub !== null) return;
    hub = createHub({
      open: openGatewayStream,
      getSummary,
      now: Date.now,
      after: (ms, task) => {
        const timer = setTimeout(task, ms);
        return () => clearTimeout(timer);
      },
      onChange: listeners.call,
    });
    hub.watch(watched.threads());
  }

  document.addEventListener('visibilitychange', follow);
  follow();
  return {
    state: () => hub?.state() ?? last,
    onChange: listeners.add,
    watch: watched.add,
    restart: () => hub?.restart(),
  };
}
