import { TAB_SAYS_EVERY_MS } from '../../limits.js';
import { createListeners, createWatched, type Live } from './live.js';
import type { LiveChange } from './live-change.js';
import { emptyLiveState } from './live-state.js';
import { reduceLive } from './reduce-live.js';
import type { HubMessage, TabMessage } from './tab-message.js';

/** The stream held by the shared worker. `onFailure`: the worker cannot run here; somebody else must hold the stream. */
export function createSharedLive(onFailure: () => void): Live {
  const worker = new SharedWorker(new URL('./shared-worker.ts', import.meta.url), {
    type: 'module',
    name: 'uwf-live',
  });
  let state = emptyLiveState;
  let heard = false;
  const listeners = createListeners<LiveChange>();
  const say = (message: TabMessage): void => worker.port.postMessage(message);
  const here = (): void => say({ type: 'here', threads: watched.threads() });
  const watched = createWatched(here);

  worker.port.onmessage = ({ data }: MessageEvent<HubMessage>) => {
    if (data.type === 'state') {
      state = data.state;
      listeners.call(
        heard ? { type: 'rejoined' } : { type: 'connection', connection: state.connection },
      );
      heard = true;
      return;
    }
    state = reduceLive(state, data.change);
    listeners.call(data.change);
  };
  worker.onerror = () => {
    if (!heard) onFailure();
  };
  here();
  setInterval(here, TAB_SAYS_EVERY_MS);
  addEventListener('pagehide', () => say({ type: 'bye' }));
  // Back from the browser's cache of pages: the worker has forgotten this tab, and tells it everything again.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) here();
  });
  return {
    state: () => state,
    onChange: listeners.add,
    watch: watched.add,
    restart: () => say({ type: 'restart' }),
  };
}
