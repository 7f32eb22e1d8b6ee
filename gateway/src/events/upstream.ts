import type { SseMessage } from '@uncaged/protocol/api';
import type { LinkClock } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import type { NodeLink } from '../links/index.js';
import type { Log } from '../log.js';
import { readEvents } from './ask-node.js';
import { reasonOf } from './failure-log.js';
import type { EventLimits } from './limits.js';

/**
 * `opening` → `open` (its first event is there) → `waiting` (it broke; opened again after the wait) → `opening` … and from
 * any of them → `over` (stopped, or the link has ended: then nothing can be opened).
 */
export type UpstreamState = 'opening' | 'open' | 'waiting' | 'over';

export type Upstream = {
  state: () => UpstreamState;
  /** Breaks it; it is opened again. Does nothing while it is not open. */
  restart: (why: Problem) => void;
  stop: () => void;
};

export type UpstreamInput = {
  link: NodeLink;
  path: string;
  clock: LinkClock;
  limits: EventLimits;
  /** 0 ≤ x < 1. */
  random: () => number;
  log: Log;
  /** Of a stream, the first event has come: it is open. What it throws breaks the stream. */
  onBegun: (event: SseMessage) => void;
  /** Later ones, as many as came at once. What it throws breaks the stream. */
  onEvents: (events: readonly SseMessage[]) => void;
  /** It does not stand any more, or never did. */
  onBroken: () => void;
};

/** One stream of events of a node, opened at once and again whenever it ends, as long as its link lives. */
export function createUpstream(input: UpstreamInput): Upstream {
  const { link, path, clock, limits, random, log, onBegun, onEvents, onBroken } = input;
  let state: UpstreamState = 'waiting';
  let attempt = new AbortController();
  let failures = 0;
  let callOff = () => {};
  const setState = (next: UpstreamState): void => {
    state = next;
  };

  /** Stays current while it is the attempt that counts; what an older one still hears is not for us. */
  const read = async (current: AbortController): Promise<void> => {
    const { signal } = current;
    for await (const events of readEvents({ link, path, signal }, limits.maxEventChars)) {
      // What the socket had already delivered when it was called off.
      if (signal.aborted) throw signal.reason;
      const [first, ...rest] = events;
      if (state === 'opening' && first !== undefined) {
        callOff();
        setState('open');
        onBegun(first);
        if (rest.length > 0) onEvents(rest);
      } else onEvents(events);
    }
    throw new Problem('node-failed', 'The node ended its stream of events.');
  };
  const open = async (): Promise<void> => {
    setState('opening');
    const current = new AbortController();
    attempt = current;
    const begunAt = clock.now();
    callOff = clock.after(limits.snapshotMs, () =>
      current.abort(
        new Problem('node-timeout', `Nothing came within ${limits.snapshotMs} ms on ${path}.`),
      ),
    );
    try {
      await read(current);
    } catch (error) {
      if (isOver()) return;
      // Also what is no Problem: whatever one node sends must not end the gateway.
      log('W3E7K0QD', `${link.name}: a stream of events broke: ${reasonOf(error)}`);
      callOff();
      if (clock.now() - begunAt >= limits.healthyMs) failures = 0;
      breakOff();
    }
  };
  /** Read anew after each wait for a promise: `stop` may have come. */
  const isOver = (): boolean => state === 'over';
  const breakOff = (): void => {
    setState(link.mux.ended() === null ? 'waiting' : 'over');
    onBroken();
    // What was told may have stopped it.
    if (state !== 'waiting') return;
    const longestMs = Math.min(limits.reopenMaxMs, limits.reopenMinMs * 2 ** failures);
    failures += 1;
    callOff = clock.after(random() * longestMs, () => void open());
  };

  void open();
  return {
    state: () => state,
    restart: (why) => {
      if (state === 'open') attempt.abort(why);
    },
    stop: () => {
      if (state === 'over') return;
      setState('over');
      callOff();
      attempt.abort(new Problem('cancelled', 'The stream of events is not needed any more.'));
    },
  };
}
