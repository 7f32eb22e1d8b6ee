import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewaySnapshotJson, NodeDownJson, NodeUpJson } from '@uncaged/protocol/api';
import { problemAnswer } from '@uncaged/protocol/http';
import type { LinkClock } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import type { Directory } from '../directory/index.js';
import type { GatewayLimits } from '../limits.js';
import type { Links, NodeLink } from '../links/index.js';
import type { Log } from '../log.js';
import type { Base } from './base.js';
import { createFeed, type Feed } from './feed.js';
import { createFollower, type Follower } from './follower.js';
import { EVENT_LIMITS, type EventLimits } from './limits.js';
import { createLiveText, type LiveText } from './live.js';
import { machineOf } from './machine.js';
import { createSeenLook, type SeenLook } from './seen.js';
import { SSE_COMMENT, sseBytes } from './sse-text.js';

export type FollowOptions = {
  /** Threads whose text comes too, as the route's schema gives them. */
  threads: readonly string[];
  /** Whether the client may still follow; asked with every comment and by `recheck`. */
  isValid: () => boolean;
};

/** The merged stream of all nodes, GET /api/events of a gateway. */
export type EventHub = {
  /**
   * Answers a request with the stream: `snapshot` once the nodes have said how they stand (at most `fanOutMs`; who has not is
   * null in it and comes with `node.up`), then what happens. Takes the response over; never throws.
   */
  follow: (request: IncomingMessage, response: ServerResponse, options: FollowOptions) => void;
  followers: () => number;
  /** Tokens were revoked: ends the streams of those who may not follow any more. */
  recheck: () => void;
  /** The directory knows something new of a node that has no link: it was refused. */
  nodeChanged: (name: string) => void;
  /** What the directory shows of a node that is connected is as new as its last event; at most twice `fanOutMs`: a look under way, and one more. */
  renewed: (name: string) => Promise<void>;
  /** Ends all streams, those of clients and those of nodes. */
  close: () => void;
};

export type EventHubInput = {
  links: Links;
  directory: Directory;
  limits: Pick<GatewayLimits, 'backlogMaxBytes' | 'commentEveryMs' | 'fanOutMs'>;
  /** `EVENT_LIMITS` unless a test says otherwise. */
  eventLimits?: EventLimits;
  clock: LinkClock;
  /** ms since epoch. */
  now: () => number;
  log: Log;
  /** The node that has a thread; null: nobody knows. */
  hostOf: (threadId: string) => string | null | Promise<string | null>;
  /** 0 ≤ x < 1. */
  random?: () => number;
};

/**
 * A client: `waiting` for the snapshots of `waitsFor` → `greeted` (it was told `snapshot`) → `gone`. Only `greet` and `leave`
 * change it. Of a node, nothing is written to it before that node's feed has admitted it.
 */
type Client = {
  state: 'waiting' | 'greeted' | 'gone';
  follower: Follower;
  isValid: () => boolean;
  live: LiveText | null;
  waitsFor: Set<Feed>;
  callOff: () => void;
};

/** Follows every node that is connected by one stream, and passes what comes on to all who follow here. */
export function createEventHub(input: EventHubInput): EventHub {
  const { links, directory, clock, log, hostOf, random = Math.random } = input;
  const limits = { ...input.limits, ...(input.eventLimits ?? EVENT_LIMITS) };
  const nodes = new Map<string, { feed: Feed; seen: SeenLook }>();
  const clients = new Set<Client>();
  let waiting = 0;
  let isClosed = false;
  let callOffComment: (() => void) | null = null;

  const greeted = (): Client[] => [...clients].filter(({ state }) => state === 'greeted');

  // Clients.

  const join = (response: ServerResponse, { threads, isValid }: FollowOptions): void => {
    const follower = createFollower({
      response,
      clock,
      backlogMaxBytes: limits.backlogMaxBytes,
      onGone: (how) => {
        if (how === 'cut') log('5HQ2VD9T', 'a client that did not read its events was cut off');
        leave(client);
      },
    });
    const text = { follower, clock, limits, random, log, hostOf };
    const client: Client = {
      state: 'waiting',
      follower,
      isValid,
      live:
        threads.length === 0 ? null : createLiveText({ ...text, threads: [...new Set(threads)] }),
      waitsFor: new Set(),
      callOff: () => {},
    };
    for (const { feed } of nodes.values())
      if (!feed.refresh() && feed.isExpected()) client.waitsFor.add(feed);
    waiting += 1;
    clients.add(client);
    client.callOff = clock.after(limits.fanOutMs, () => {
      for (const feed of client.waitsFor) feed.notExpected();
      client.waitsFor.clear();
      greetReady();
    });
    callOffComment ??= clock.after(limits.commentEveryMs, comment);
    greetReady();
  };
  const leave = (client: Client): void => {
    if (client.state === 'gone') return;
    if (client.state === 'waiting') waiting -= 1;
    client.state = 'gone';
    client.callOff();
    clients.delete(client);
    for (const { feed } of nodes.values()) feed.remove(client.follower);
    client.live?.stop();
    if (clients.size > 0) return;
    callOffComment?.();
    callOffComment = null;
  };
  /** Those who have nothing more to wait for, however many, are told the same bytes. */
  const greetReady = (): void => {
    const ready = [...clients].filter((c) => c.state === 'waiting' && c.waitsFor.size === 0);
    if (ready.length === 0) return;
    const { bytes, bases } = greeting();
    for (const client of ready) greet(client, bytes, bases);
  };
  const greet = (client: Client, bytes: Buffer, bases: ReadonlyMap<string, Base>): void => {
    client.callOff();
    client.state = 'greeted';
    waiting -= 1;
    client.follower.writeSnapshot(bytes);
    for (const { feed } of nodes.values()) {
      const base = bases.get(feed.link.name);
      if (base === undefined) feed.refresh();
      else admit(client, feed, base);
    }
  };
  /** Of the same moment: what the snapshot says, and the bases from which clients go on. */
  const greeting = (): { bytes: Buffer; bases: Map<string, Base> } => {
    const bases = new Map<string, Base>();
    for (const [name, { feed }] of nodes) {
      const base = feed.base();
      if (base !== null) bases.set(name, base);
    }
    const names = new Set([...directory.list().map(({ hello }) => hello.node), ...nodes.keys()]);
    const snapshot: GatewaySnapshotJson = { nodes: [] };
    for (const name of [...names].sort()) {
      const machine = machineOf(input, name);
      if (machine === null) continue;
      snapshot.nodes.push({ machine, snapshot: bases.get(name)?.snapshot ?? null });
    }
    return { bytes: sseBytes('snapshot', snapshot), bases };
  };
  /** The client has just been told the snapshot of this base. */
  const admit = (client: Client, feed: Feed, base: Base): void => {
    feed.admit(client.follower, base);
    client.live?.nodeBegun(feed.link);
  };
  const comment = (): void => {
    recheck();
    for (const { follower } of clients) follower.write(SSE_COMMENT);
    callOffComment = clients.size === 0 ? null : clock.after(limits.commentEveryMs, comment);
  };
  const recheck = (): void => {
    for (const { isValid, follower } of [...clients]) if (!isValid()) follower.end();
  };

  // Nodes.

  const notWaitFor = (feed: Feed): void => {
    for (const { waitsFor } of clients) waitsFor.delete(feed);
    greetReady();
  };
  /** Tells those who do not know it yet how the node stands. */
  const tellUp = (feed: Feed, base: Base): void => {
    const untold = greeted().filter(({ follower }) => !feed.has(follower));
    const machine = untold.length === 0 ? null : machineOf(input, feed.link.name);
    if (machine !== null) {
      const { snapshot } = base;
      const up: NodeUpJson = { node: feed.link.name, machine, snapshot };
      const bytes = sseBytes('node.up', up);
      for (const client of untold) {
        client.follower.writeSnapshot(bytes);
        admit(client, feed, base);
      }
    }
    notWaitFor(feed);
  };
  const tellDown = (name: string): void => {
    const machine = machineOf(input, name);
    if (machine === null) return;
    const down: NodeDownJson = { node: name, machine };
    const bytes = sseBytes('node.down', down);
    for (const client of greeted()) {
      client.follower.write(bytes);
      client.live?.nodeEnded(name);
    }
  };
  const nodeUp = (link: NodeLink): void => {
    const older = stopNode(link.name);
    if (older !== null) notWaitFor(older);
    const seen = createSeenLook({ link, directory, clock, limits, log });
    const feed = createFeed({
      link,
      clock,
      limits,
      random,
      log,
      isWanted: () => waiting > 0 || feed.members() < clients.size,
      onBegun: tellUp,
      onBase: tellUp,
      onNoBase: notWaitFor,
      onEvent: seen.changed,
    });
    nodes.set(link.name, { feed, seen });
  };
  const stopNode = (name: string): Feed | null => {
    const node = nodes.get(name);
    if (node === undefined) return null;
    nodes.delete(name);
    node.feed.stop();
    node.seen.stop();
    return node.feed;
  };
  const nodeDown = (link: NodeLink): void => {
    // Another link may have taken the place.
    if (nodes.get(link.name)?.feed.link.generation !== link.generation) return;
    const feed = stopNode(link.name);
    tellDown(link.name);
    if (feed !== null) notWaitFor(feed);
  };

  const stopListening = links.onChange(({ type, link }) => {
    if (type === 'up') nodeUp(link);
    else nodeDown(link);
  });
  for (const link of links.list()) nodeUp(link);

  return {
    follow: (_request, response, options) => {
      if (response.destroyed || response.writableEnded) return;
      if (isClosed) refuse(response);
      else join(response, options);
    },
    followers: () => clients.size,
    recheck,
    nodeChanged: (name) => {
      if (!nodes.has(name)) tellDown(name);
    },
    renewed: async (name) => nodes.get(name)?.seen.renewed(),
    close: () => {
      isClosed = true;
      stopListening();
      for (const { follower } of [...clients]) follower.end();
      for (const name of [...nodes.keys()]) stopNode(name);
    },
  };
}

function refuse(response: ServerResponse): void {
  const { status, headers, body } = problemAnswer(
    new Problem('overloaded', 'The gateway is being stopped; come back when it is there again.'),
  );
  response.writeHead(status, headers).end(body);
}
