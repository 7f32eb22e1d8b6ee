import { LIVE_THREADS } from '../../limits.js';
import { changeOf, type LiveChange } from './live-change.js';
import { emptyLiveState, type LiveState } from './live-state.js';
import { reduceLive } from './reduce-live.js';
import { createRefresher, type RefresherInput } from './refresher.js';
import type { OpenStream } from './stream.js';

export type Hub = {
  state: () => LiveState;
  /** Whose live text is wanted, by all who follow. */
  watch: (threads: string[]) => void;
  /** Begins anew: after a log-in, or because somebody asked. */
  restart: () => void;
  close: () => void;
};

type HubInput = Pick<RefresherInput, 'getSummary' | 'after'> & {
  open: OpenStream;
  now: () => number;
  onChange: (change: LiveChange) => void;
};

type OpenedStream = { close: () => void; resumed: boolean };

/** One stream and what it has told so far, for any number of followers. */
export function createHub({ open, getSummary, after, now, onChange }: HubInput): Hub {
  let state = emptyLiveState;
  let watched: string[] = [];
  /** The one that is listened to, and the one that shall follow it once its snapshot is there. */
  let current: OpenedStream | null = null;
  let successor: OpenedStream | null = null;

  function apply(change: LiveChange): void {
    const before = state;
    state = reduceLive(state, change);
    if (state !== before) onChange(change);
  }

  const refresher = createRefresher({
    getSummary,
    after,
    onSummary: (data) => apply({ type: 'summary', data }),
  });

  function begin(): OpenedStream {
    const stream: OpenedStream = { close: () => undefined, resumed: false };
    stream.close = open(watched, {
      message: (message) => {
        if (message.event === 'snapshot') settle(stream);
        if (stream !== current) return;
        const change = changeOf(message, stream.resumed);
        stream.resumed = false;
        apply(change);
        if (change.type === 'event') refresher.touch(change.data);
      },
      broken: (why) => {
        // While the old one still goes on, nobody is cut off.
        if (stream === current) apply({ type: 'connection', connection: cutOff(why) });
      },
      loggedOut: () => {
        if (stream !== current && stream !== successor) return;
        closeStreams();
        apply({ type: 'connection', connection: { state: 'logged-out' } });
      },
    });
    return stream;
  }

  /** The successor has its snapshot: it takes over, and if the old one was live until now, nothing was missed. */
  function settle(stream: OpenedStream): void {
    if (stream !== successor) return;
    stream.resumed = state.connection.state === 'live';
    current?.close();
    current = stream;
    successor = null;
  }

  function cutOff(why: string): LiveState['connection'] {
    const { connection } = state;
    if (connection.state === 'live') return { state: 'reconnecting', lastAt: now(), why };
    if (connection.state === 'reconnecting') return { ...connection, why };
    return { state: 'connecting', why };
  }

  function closeStreams(): void {
    current?.close();
    successor?.close();
    current = null;
    successor = null;
  }

  function restart(): void {
    closeStreams();
    if (state.connection.state === 'logged-out')
      apply({ type: 'connection', connection: { state: 'connecting', why: null } });
    current = begin();
  }

  restart();
  return {
    state: () => state,
    watch: (threads) => {
      const next = [...new Set(threads)].sort().slice(0, LIVE_THREADS);
      if (next.join() === watched.join()) return;
      watched = next;
      if (current === null) return;
      successor?.close();
      successor = begin();
    },
    restart,
    close: () => {
      refresher.close();
      closeStreams();
    },
  };
}
