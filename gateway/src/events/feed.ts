import type { SnapshotJson, SseMessage } from '@uncaged/protocol/api';
import type { LinkClock } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import type { NodeLink } from '../links/index.js';
import type { Log } from '../log.js';
import { readEvents } from './ask-node.js';
import { type Base, createEventTail, type EventTail } from './base.js';
import { logOnce, reasonOf } from './failure-log.js';
import type { Follower } from './follower.js';
import type { EventLimits } from './limits.js';
import { isForeign, malformed, type PlacedEvent, parseSnapshot, placeEvent } from './node-event.js';
import { createUpstream, type UpstreamState } from './upstream.js';

/**
 * What comes from one node while one link to it lives.
 *
 * One stream of the node serves all followers. Whoever comes later needs a snapshot of its own: events carry small fields
 * only, so rows cannot be kept up to date from them. Therefore the node is asked again, by a second stream that is read up to
 * its snapshot; from that question on, what the first stream brings is kept. The newcomer gets the snapshot, of what was kept
 * all that is above the snapshot's seq, and of the first stream again only what is above it, as that stream may lag behind.
 * Both streams come from one store, whose events become visible in the order of their seq. So nothing is missed
 * and nothing comes twice, however the two streams interleave.
 */
export type Feed = {
  readonly link: NodeLink;
  state: () => UpstreamState;
  /** Snapshot and what came since; null: none that is whole is at hand. */
  base: () => Base | null;
  /** Sees to it that there is a base no older than `refreshMs`; `onBase` or `onNoBase` tells, unless true: it is there. */
  refresh: () => boolean;
  /** Whether a base may be waited for: not while the node fails to give one. */
  isExpected: () => boolean;
  /** It was waited for in vain. */
  notExpected: () => void;
  /** Passes a base, and then every event, on to a follower. The follower has just been told the snapshot. */
  admit: (follower: Follower, base: Base) => void;
  has: (follower: Follower) => boolean;
  /** How many it has admitted. */
  members: () => number;
  remove: (follower: Follower) => void;
  stop: () => void;
};

export type FeedInput = {
  link: NodeLink;
  clock: LinkClock;
  limits: EventLimits & { backlogMaxBytes: number };
  random: () => number;
  log: Log;
  /** Whether somebody still waits for a base: until then events are kept. */
  isWanted: () => boolean;
  /** The node's stream has begun, or begun again: what was known of it is replaced, for everybody. */
  onBegun: (feed: Feed, base: Base) => void;
  /** A base that was asked for. */
  onBase: (feed: Feed, base: Base) => void;
  /** None is to be had now. */
  onNoBase: (feed: Feed) => void;
  /** Something happened on the node. */
  onEvent: () => void;
};

const PATH = '/api/events';

type Question = { abort: AbortController; since: EventTail };

export function createFeed(input: FeedInput): Feed {
  const { link, clock, limits, isWanted } = input;
  const log = logOnce(input.log);
  /** Each with the seq above which it gets events. */
  const members = new Map<Follower, number>();
  let seq = 0;
  let base: Base | null = null;
  let question: Question | null = null;
  let isExpected = true;
  let failures = 0;
  let callOffRetry: (() => void) | null = null;

  const isFresh = ({ at }: Base): boolean => clock.now() - at <= limits.refreshMs;
  const createBase = (snapshot: SnapshotJson, first: readonly PlacedEvent[]): Base => ({
    snapshot,
    at: clock.now(),
    since: createEventTail(limits.backlogMaxBytes, first),
  });
  const dropQuestion = (why: string): void => {
    callOffRetry?.();
    callOffRetry = null;
    question?.abort.abort(new Problem('cancelled', why));
    question = null;
  };
  const keep = (event: PlacedEvent): void => {
    question?.since.add(event);
    if (base === null) return;
    base.since.add(event);
    if (base.since.isTooLarge() || !(isWanted() || isFresh(base))) base = null;
  };

  const place = (event: SseMessage): PlacedEvent => {
    const placed = placeEvent(event, link.name);
    if (placed.seq <= seq) throw malformed(`went back from ${seq} to ${placed.seq}`);
    seq = placed.seq;
    return placed;
  };
  /** What came at once goes to each in one write; to nearly all of them it is the same. */
  const pass = (events: readonly PlacedEvent[]): void => {
    for (const event of events) keep(event);
    const firstSeq = events[0]?.seq ?? 0;
    const all = joined(events);
    for (const [follower, above] of members) {
      const bytes = above < firstSeq ? all : joined(events.filter((event) => event.seq > above));
      if (bytes.byteLength > 0) follower.write(bytes);
    }
    input.onEvent();
  };

  const upstream = createUpstream({
    link,
    path: PATH,
    clock,
    limits,
    random: input.random,
    log,
    onBegun: (event) => {
      const snapshot = parseSnapshot(event);
      dropQuestion('the stream began anew');
      seq = snapshot.seq;
      base = createBase(snapshot, []);
      isExpected = true;
      members.clear();
      input.onBegun(feed, base);
      input.onEvent();
    },
    onEvents: (events) => {
      const placed: PlacedEvent[] = [];
      try {
        for (const event of events) if (!isForeign(event)) placed.push(place(event));
      } finally {
        // Also what stands before one that breaks the stream.
        if (placed.length > 0) pass(placed);
      }
    },
    onBroken: () => {
      base = null;
      isExpected = false;
      dropQuestion('the stream broke');
      input.onNoBase(feed);
    },
  });

  /** The snapshot of a stream that is opened for it alone. */
  const askSnapshot = async (signal: AbortSignal): Promise<SnapshotJson> => {
    for await (const [first] of readEvents({ link, path: PATH, signal }, limits.maxEventChars))
      if (first !== undefined) return parseSnapshot(first);
    throw malformed('ended before its snapshot');
  };
  const ask = async (): Promise<void> => {
    const current: Question = {
      abort: new AbortController(),
      since: createEventTail(limits.backlogMaxBytes),
    };
    question = current;
    const askedAt = seq;
    const callOff = clock.after(limits.snapshotMs, () =>
      current.abort.abort(
        new Problem('node-timeout', `No snapshot came within ${limits.snapshotMs} ms.`),
      ),
    );
    try {
      const snapshot = await askSnapshot(current.abort.signal);
      if (question !== current) return;
      question = null;
      take(snapshot, askedAt, current.since);
    } catch (error) {
      // Called off: whoever did it has told, or will.
      if (question !== current) return;
      question = null;
      noBase(reasonOf(error));
    } finally {
      callOff();
    }
  };
  const noBase = (why: string): void => {
    log('7T4XH9VB', `${link.name}: no snapshot for newcomers: ${why}`);
    isExpected = false;
    const waitMs = Math.min(limits.reopenMaxMs, limits.reopenMinMs * 2 ** failures);
    failures += 1;
    callOffRetry = clock.after(waitMs, () => {
      callOffRetry = null;
      if (isWanted()) void ask();
    });
    input.onNoBase(feed);
  };
  const take = (snapshot: SnapshotJson, askedAt: number, since: EventTail): void => {
    if (snapshot.seq < askedAt) {
      // Another store, or a node that lies: what came before and what comes cannot be put together.
      upstream.restart(malformed(`gave the snapshot ${snapshot.seq} after event ${askedAt}`));
      return;
    }
    if (since.isTooLarge()) {
      noBase('too much happened in the meantime');
      return;
    }
    failures = 0;
    isExpected = true;
    base = createBase(snapshot, since.after(snapshot.seq));
    input.onBase(feed, base);
  };

  const feed: Feed = {
    link,
    state: upstream.state,
    base: () => base,
    refresh: () => {
      if (upstream.state() !== 'open') return false;
      if (base !== null && isFresh(base)) return true;
      // Rows of an old one may be stale even without an event since; those who wait for other nodes keep it.
      if (!isWanted()) base = null;
      if (question === null && callOffRetry === null) void ask();
      return false;
    },
    admit: (follower, { snapshot, since }) => {
      members.set(follower, snapshot.seq);
      const missed = joined(since.after(snapshot.seq));
      if (missed.byteLength > 0) follower.write(missed);
    },
    isExpected: () => isExpected,
    notExpected: () => {
      isExpected = false;
    },
    members: () => members.size,
    has: (follower) => members.has(follower),
    remove: (follower) => {
      members.delete(follower);
    },
    stop: () => {
      upstream.stop();
      base = null;
      dropQuestion('the link has ended');
      members.clear();
    },
  };
  return feed;
}

function joined(events: readonly PlacedEvent[]): Buffer {
  const [first] = events;
  if (first !== undefined && events.length === 1) return first.bytes;
  return Buffer.concat(events.map(({ bytes }) => bytes));
}
