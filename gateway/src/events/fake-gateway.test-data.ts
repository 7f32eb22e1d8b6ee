import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSseParser, type SseMessage } from '@uncaged/protocol/api';
import { createSystemClock, type LinkClock } from '@uncaged/protocol/link';
import type { Directory, KnownNode } from '../directory/index.js';
import type { LinkChange, Links, NodeLink } from '../links/index.js';
import type { FakeNode } from './fake-node.test-data.js';
import { createEventHub, type EventHubInput } from './hub.js';
import type { EventLimits } from './limits.js';

const MIB = 1024 * 1024;

export const TEST_LIMITS: EventLimits & EventHubInput['limits'] = {
  refreshMs: 20,
  snapshotMs: 2_000,
  reopenMinMs: 2,
  reopenMaxMs: 20,
  healthyMs: 1_000,
  seenFirstMs: 5,
  seenEveryMs: 20,
  seenMaxMs: 100,
  maxEventChars: MIB,
  maxJsonBytes: MIB,
  backlogMaxBytes: 256 * 1024,
  commentEveryMs: 60_000,
  fanOutMs: 2_000,
};

export async function until(what: string, look: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!look()) {
    if (performance.now() > deadline) throw new Error(`did not come: ${what}`);
    await sleep(2);
  }
}

export function createFakeLinks() {
  const current = new Map<string, NodeLink>();
  const listeners = new Set<(change: LinkChange) => void>();
  const tell = (change: LinkChange) => {
    for (const listener of listeners) listener(change);
  };
  const links: Links = {
    get: (name) => current.get(name) ?? null,
    list: () => [...current.values()],
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    upgrade: () => undefined,
    close: async () => undefined,
  };
  return {
    links,
    listeners,
    up: (link: NodeLink) => {
      current.set(link.name, link);
      tell({ type: 'up', link });
    },
    down: (link: NodeLink) => {
      if (current.get(link.name) !== link) return;
      current.delete(link.name);
      tell({ type: 'down', link });
    },
  };
}

export function createFakeDirectory(links: Links) {
  const seen = new Map<string, NonNullable<KnownNode['seen']>>();
  const known = new Map<string, KnownNode>();
  const get = (name: string): KnownNode | null => {
    const link = links.get(name);
    if (link === null) {
      const old = known.get(name);
      return old === undefined
        ? null
        : { ...old, state: old.state === 'online' ? 'offline' : old.state };
    }
    const node: KnownNode = {
      hello: link.hello,
      state: 'online',
      since: 0,
      gateway: 'g',
      seen: null,
    };
    known.set(name, node);
    return node;
  };
  const directory: Directory = {
    list: () => {
      const names = new Set([...known.keys(), ...links.list().map(({ name }) => name)]);
      return [...names].sort().map((name) => get(name)!);
    },
    get,
    setState: (hello, state) =>
      void known.set(hello.node, { hello, state, since: 0, gateway: 'g', seen: null }),
    setSeen: (name, value) => void seen.set(name, { at: 0, ...value }),
    forget: (name) => known.delete(name),
    hostOf: () => null,
    setHost: () => undefined,
    dropHost: () => undefined,
    close: async () => undefined,
  };
  return { directory, seen };
}

/** A hub over real HTTP and links over memory. */
export async function openTestGateway(
  change: Partial<Omit<EventHubInput, 'limits'>> & { limits?: Partial<typeof TEST_LIMITS> } = {},
) {
  const fake = createFakeLinks();
  const { directory, seen } = createFakeDirectory(fake.links);
  const logged: string[] = [];
  const limits = { ...TEST_LIMITS, ...change.limits };
  const clock = createCountingClock();
  const state = { isValid: true };
  const hub = createEventHub({
    links: fake.links,
    directory,
    now: () => 0,
    log: (_tag, text) => logged.push(text),
    hostOf: () => null,
    ...change,
    clock,
    limits,
    eventLimits: limits,
  });
  const server = createServer((request, response) => {
    const threads = new URL(request.url!, 'http://gateway').searchParams.get('threads');
    hub.follow(request, response, {
      threads: threads?.split(',') ?? [],
      isValid: () => state.isValid,
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = new Set<NodeLink>();
  let generation = 0;
  return {
    ...fake,
    hub,
    seen,
    directory,
    logged,
    clock,
    state,
    /** Requests that are open to nodes. */
    openStreams: () => [...open].reduce((sum, { mux }) => sum + mux.openStreams(), 0),
    follow: (query = '') => follow(`http://127.0.0.1:${port}/api/events${query}`),
    async connect(node: FakeNode) {
      generation += 1;
      const { link, cut, ended } = await node.connect(generation);
      open.add(link);
      void ended.then(() => fake.down(link));
      fake.up(link);
      return { link, cut };
    },
    async close() {
      hub.close();
      server.close();
      server.closeAllConnections();
      for (const { mux } of open) mux.close('shutdown', 'the test is over');
      await once(server, 'close');
    },
  };
}

/** The clock of the process, and how many timers of it have not come. */
function createCountingClock(): LinkClock & { pending: () => number } {
  const clock = createSystemClock();
  const timers = new Set<object>();
  return {
    now: clock.now,
    soon: clock.soon,
    after(delayMs, task) {
      const key = {};
      timers.add(key);
      const callOff = clock.after(delayMs, () => {
        timers.delete(key);
        task();
      });
      return () => {
        timers.delete(key);
        callOff();
      };
    },
    pending: () => timers.size,
  };
}

export type Message = { type: string; id: string | null; data: Record<string, unknown> };

const toMessage = ({ event: type, id, data }: SseMessage): Message => ({
  type,
  id,
  data: JSON.parse(data),
});

/** A client that reads all it gets. */
export async function follow(url: string) {
  const request = get(url, { agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const events: Message[] = [];
  const parser = createSseParser(MIB * 8);
  const client = { response, events, comments: 0, isEnded: false, isBroken: false };
  response.on('data', (bytes: Buffer) => {
    client.comments += bytes.toString().split(': \n').length - 1;
    events.push(...parser.push(bytes).map(toMessage));
  });
  response.on('end', () => {
    client.isEnded = true;
  });
  response.on('error', () => {
    client.isBroken = true;
  });
  return {
    ...client,
    client,
    types: () => events.map(({ type }) => type),
    until: (type: string, count = 1) =>
      until(`${count} ${type}`, () => events.filter((e) => e.type === type).length >= count),
    leave: () => request.destroy(),
  };
}
