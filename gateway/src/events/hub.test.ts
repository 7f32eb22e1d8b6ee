import {
  gatewaySnapshotSchema,
  nodeDownSchema,
  nodeUpSchema,
  placedEventSchema,
  placedLiveSchema,
} from '@uncaged/protocol/api';
import { afterEach, describe, expect, it } from 'vitest';
import { type Message, openTestGateway, until } from './fake-gateway.test-data.js';
import { createFakeNode, eventText, put, THREADS } from './fake-node.test-data.js';

type Gateway = Awaited<ReturnType<typeof openTestGateway>>;
const opened: Gateway[] = [];

async function open(...args: Parameters<typeof openTestGateway>): Promise<Gateway> {
  const gateway = await openTestGateway(...args);
  opened.push(gateway);
  return gateway;
}

afterEach(async () => {
  for (const gateway of opened.splice(0)) {
    gateway.hub.close();
    await until('the end of every request to a node', () => gateway.openStreams() === 0);
    await until('the end of every timer', () => gateway.clock.pending() === 0);
    expect(gateway.hub.followers()).toBe(0);
    expect(gateway.listeners.size).toBe(0);
    await gateway.close();
  }
});

const seqs = (events: readonly Message[]) =>
  events.filter(({ id }) => id !== null).map(({ data }) => data.seq);
const [A, B] = THREADS;

describe('the merged stream', () => {
  it('begins with how every node stands and goes on with what happens on each', async () => {
    const gateway = await open();
    const nodes = [createFakeNode('a'), createFakeNode('b')] as const;
    nodes[0].step(A);
    for (const node of nodes) await gateway.connect(node);
    const client = await gateway.follow();
    expect(client.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    await client.until('snapshot');
    const snapshot = gatewaySnapshotSchema.parse(client.events[0]!.data);
    expect(snapshot.nodes).toMatchObject([
      { machine: { name: 'a', state: 'online' }, snapshot: { seq: 1, threads: [{ threadId: A }] } },
      { machine: { name: 'b', state: 'online' }, snapshot: { seq: 0, threads: [] } },
    ]);
    nodes[1].step(B);
    await client.until('step.committed');
    const event = client.events[1]!;
    expect(event.id).toBe('store-1.1');
    expect(placedEventSchema.strict().parse(event.data)).toMatchObject({ node: 'b', thread: B });
  });

  it('keeps one stream to a node, however many follow, and gives each event to all', async () => {
    const gateway = await open();
    const node = createFakeNode('a');
    await gateway.connect(node);
    const count = 500;
    const clients = await Promise.all(Array.from({ length: count }, () => gateway.follow()));
    await Promise.all(clients.map((client) => client.until('snapshot')));
    expect(gateway.hub.followers()).toBe(count);
    // Those who came within a moment were served by one question.
    expect(node.asked.filter((path) => path === '/api/events').length).toBeLessThan(count / 5);
    await until('the questions to end', () => node.streams.size === 1);
    node.step(A);
    await Promise.all(clients.map((client) => client.until('step.committed')));
    for (const client of clients) client.leave();
    await until('all to be forgotten', () => gateway.hub.followers() === 0);
  });

  it('gives a newcomer rows that are not stale', async () => {
    const gateway = await open({ limits: { refreshMs: 0 } });
    const node = createFakeNode('a');
    await gateway.connect(node);
    const early = await gateway.follow();
    for (let n = 0; n < 5; n++) node.step(A);
    await early.until('step.committed', 5);
    const late = await gateway.follow();
    await late.until('snapshot');
    const [entry] = gatewaySnapshotSchema.parse(late.events[0]!.data).nodes;
    expect(entry?.snapshot).toMatchObject({ seq: 5, threads: [{ stepCount: 5 }] });
  });

  it('tells of nodes that come, go and come back, and keeps those that are away in view', async () => {
    const gateway = await open();
    const client = await gateway.follow();
    await client.until('snapshot');
    expect(client.events[0]!.data).toEqual({ nodes: [] });
    const node = createFakeNode('a');
    for (let round = 1; round <= 20; round++) {
      const { cut } = await gateway.connect(node);
      await client.until('node.up', round);
      node.step(A);
      await client.until('step.committed', round);
      cut();
      await client.until('node.down', round);
    }
    expect(client.types().slice(1)).toEqual(
      Array(20).fill(['node.up', 'step.committed', 'node.down']).flat(),
    );
    for (const { type, data } of client.events) {
      if (type === 'node.up') expect(nodeUpSchema.parse(data).machine.state).toBe('online');
      if (type === 'node.down') expect(nodeDownSchema.parse(data).machine.state).toBe('offline');
    }
    const late = await gateway.follow();
    await late.until('snapshot');
    expect(late.events[0]!.data).toMatchObject({
      nodes: [{ machine: { name: 'a', state: 'offline' }, snapshot: null }],
    });
  });

  it('goes over to a link that replaces another without a word of the older one', async () => {
    const gateway = await open();
    const older = createFakeNode('a');
    const first = await gateway.connect(older);
    const client = await gateway.follow();
    await client.until('snapshot');
    const newer = createFakeNode('a');
    await gateway.connect(newer);
    await client.until('node.up');
    older.step(A);
    newer.step(B);
    await client.until('step.committed');
    first.cut();
    newer.step(B);
    await client.until('step.committed', 2);
    expect(client.events.slice(2).map(({ data }) => data.thread)).toEqual([B, B]);
  });

  it('opens the stream of a node again when it ends while the link lives', async () => {
    const gateway = await open();
    const node = createFakeNode('a');
    await gateway.connect(node);
    const client = await gateway.follow();
    await client.until('snapshot');
    for (let round = 1; round <= 5; round++) {
      node.endStreams();
      // Told by the snapshot that follows.
      node.state.step(A);
      await client.until('node.up', round);
      node.step(A);
      await client.until('step.committed', round);
    }
    const ups = client.events.filter(({ type }) => type === 'node.up');
    expect(ups.map(({ data }) => nodeUpSchema.parse(data).snapshot.seq)).toEqual([1, 3, 5, 7, 9]);
    expect(seqs(client.events)).toEqual([2, 4, 6, 8, 10]);
    expect(client.types()).not.toContain('node.down');
  });

  it('tells of a node that was refused', async () => {
    const gateway = await open();
    const client = await gateway.follow();
    await client.until('snapshot');
    const hello = { node: 'old', version: '0', labels: {}, allow: [] };
    gateway.directory.setState(hello, 'update-needed');
    gateway.hub.nodeChanged('old');
    await client.until('node.down');
    const down = nodeDownSchema.parse(client.events[1]!.data);
    expect(down.machine).toMatchObject({ name: 'old', state: 'update-needed' });
  });
});

describe('a node that misbehaves', () => {
  const snapshot = (seq: number) =>
    eventText('snapshot', {
      seq,
      counts: createFakeNode('x').state.snapshot().counts,
      threads: [],
    });
  const event = (seq: number, change: object = {}) => {
    const data = {
      seq,
      type: 'thread.queued',
      thread: A,
      at: '2026-01-01T00:00:00.000Z',
      data: {},
    };
    return { ...data, ...change };
  };
  const bad: Record<string, string> = {
    'a type that is not that of its data': eventText('thread.started', event(1), 's.1'),
    'data that is no JSON': 'event: thread.queued\nid: s.1\ndata: {\n\n',
    'a wrong shape': eventText('thread.queued', event(1, { thread: '../x' }), 's.1'),
    'data too deep to be written': `event: thread.queued\nid: s.1\ndata: ${JSON.stringify(
      event(1, { data: { x: 0 } }),
    ).replace('0}', `${'['.repeat(100_000)}${']'.repeat(100_000)}}`)}\n\n`,
    'an id that is not its own': eventText('thread.queued', event(1), 's.7'),
    'no id': eventText('thread.queued', event(1)),
    'live text nobody asked for': eventText('live', { thread: A }),
    'a second snapshot': snapshot(0),
    'an endless event': `data: ${'a'.repeat(100)}`.repeat(12_000),
  };

  it.each(Object.keys(bad))(
    'sending %s is told once and does not harm the others',
    async (what) => {
      const gateway = await open();
      const hostile = createFakeNode('hostile');
      hostile.instead = async ({ path, signal }, respond) => {
        if (!path.startsWith('/api/events')) return false;
        const writer = respond({ status: 200, headers: [], end: false });
        put(writer, snapshot(0) + bad[what]);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        return true;
      };
      const good = createFakeNode('good');
      await gateway.connect(good);
      await gateway.connect(hostile);
      const client = await gateway.follow();
      await client.until('snapshot');
      await until('several attempts', () => hostile.asked.length >= 6);
      good.step(A);
      await client.until('step.committed');
      expect(client.events.filter(({ id }) => id !== null)).toHaveLength(1);
      expect(gateway.logged.filter((text) => text.includes('stream of events broke'))).toHaveLength(
        1,
      );
    },
  );

  it('may be newer: what this gateway does not know of is left out', async () => {
    const gateway = await open();
    const node = createFakeNode('a');
    await gateway.connect(node);
    const client = await gateway.follow();
    await client.until('snapshot');
    node.raw(eventText('thread.exploded', event(1), 's.1') + node.state.step(A));
    await client.until('step.committed');
    expect(client.types()).not.toContain('thread.exploded');
    expect(node.asked.filter((path) => path === '/api/events').length).toBeLessThan(3);
    expect(gateway.logged).toEqual([]);
  });

  it('that went back in time begins anew', async () => {
    const gateway = await open();
    const node = createFakeNode('a');
    await gateway.connect(node);
    const client = await gateway.follow();
    await client.until('snapshot');
    node.raw(node.state.step(A) + eventText('thread.queued', event(1), 's.1'));
    await client.until('node.up');
    expect(seqs(client.events)).toEqual([1]);
  });

  it('that does not answer is null in the snapshot and comes when it does', async () => {
    const gateway = await open({ limits: { fanOutMs: 20, refreshMs: 0 } });
    const node = createFakeNode('a');
    await gateway.connect(node);
    const early = await gateway.follow();
    await early.until('snapshot');
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    node.instead = async ({ path }) => {
      if (path === '/api/events') await held;
      return false;
    };
    const late = await gateway.follow();
    await late.until('snapshot');
    expect(late.events[0]!.data).toMatchObject({ nodes: [{ snapshot: null }] });
    node.step(A);
    await early.until('step.committed');
    // Nothing of a node before it was told how it stands.
    expect(late.events).toHaveLength(1);
    letGo();
    await late.until('node.up');
    expect(nodeUpSchema.parse(late.events[1]!.data).snapshot.seq).toBe(1);
    node.step(A);
    await late.until('step.committed');
    expect(seqs(late.events)).toEqual([2]);
    expect(early.types()).not.toContain('node.up');
  });

  it('that refuses newcomers a snapshot is asked again for them', async () => {
    const gateway = await open({ limits: { refreshMs: 0 } });
    const node = createFakeNode('a');
    await gateway.connect(node);
    const early = await gateway.follow();
    await early.until('snapshot');
    let refusals = 3;
    node.instead = async ({ path }, respond) => {
      if (path !== '/api/events' || refusals === 0) return false;
      refusals -= 1;
      respond({ status: 503, headers: [], end: true });
      return true;
    };
    const late = await gateway.follow();
    await late.until('node.up');
    expect(late.types()).toEqual(['snapshot', 'node.up']);
    expect(gateway.logged).toHaveLength(1);
  });
});

describe('a client', () => {
  it('that does not read is cut off, and the others are not held up', async () => {
    const gateway = await open({ limits: { backlogMaxBytes: 10_000 } });
    const node = createFakeNode('a');
    await gateway.connect(node);
    const slow = await gateway.follow();
    await slow.until('snapshot');
    slow.response.pause();
    const quick = await gateway.follow();
    await quick.until('snapshot');
    let count = 0;
    while (gateway.hub.followers() === 2) {
      for (let n = 0; n < 500; n++) node.step(A);
      count += 500;
      await quick.until('step.committed', count);
    }
    expect(gateway.hub.followers()).toBe(1);
    expect(seqs(quick.events)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    expect(gateway.logged).toContain('a client that did not read its events was cut off');
  });

  it('that is told many events in one turn is not taken for slow', async () => {
    const gateway = await open({ limits: { backlogMaxBytes: 100_000 } });
    const node = createFakeNode('a');
    await gateway.connect(node);
    const client = await gateway.follow();
    await client.until('snapshot');
    node.raw(Array.from({ length: 800 }, () => node.state.step(A)).join(''));
    await client.until('step.committed', 800);
  });

  it('that may not follow any more is ended, at once when told and else with the next comment', async () => {
    const gateway = await open({ limits: { commentEveryMs: 20 } });
    const client = await gateway.follow();
    await until('comments', () => client.client.comments > 2);
    gateway.state.isValid = false;
    await until('its end', () => client.client.isEnded);
    gateway.state.isValid = true;
    const other = await gateway.follow();
    gateway.state.isValid = false;
    gateway.hub.recheck();
    await until('its end', () => other.client.isEnded);
    expect(gateway.hub.followers()).toBe(0);
  });

  it('is forgotten when it leaves, also while it waits for a node', async () => {
    const gateway = await open();
    const node = createFakeNode('a');
    node.instead = async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      return true;
    };
    await gateway.connect(node);
    for (let n = 0; n < 50; n++) {
      const client = await gateway.follow();
      client.leave();
    }
    await until('all to be forgotten', () => gateway.hub.followers() === 0);
  });

  it('is ended cleanly with the hub, and refused after it', async () => {
    const gateway = await open();
    await gateway.connect(createFakeNode('a'));
    const client = await gateway.follow();
    await client.until('snapshot');
    gateway.hub.close();
    await until('its end', () => client.client.isEnded);
    expect(client.client.isBroken).toBe(false);
    expect((await gateway.follow()).response.statusCode).toBe(503);
  });
});

describe('live text', () => {
  const hosts: Record<string, string> = { [A]: 'a', [B]: 'b' };
  const hostOf = async (id: string) => hosts[id] ?? null;

  it('comes of the threads asked for, from the nodes that have them, to who asked', async () => {
    const gateway = await open({ hostOf });
    const nodes = { a: createFakeNode('a'), b: createFakeNode('b'), c: createFakeNode('c') };
    for (const node of Object.values(nodes)) await gateway.connect(node);
    const client = await gateway.follow(`?threads=${A},${B}`);
    const other = await gateway.follow();
    await until('streams', () => nodes.a.streams.size === 2 && nodes.b.streams.size === 2);
    nodes.a.live(A, 'of a');
    nodes.b.live(B, 'of b');
    nodes.a.step(A);
    await client.until('live', 2);
    await other.until('step.committed');
    const live = client.events.filter(({ type }) => type === 'live');
    expect(live.every(({ id }) => id === null)).toBe(true);
    const texts = live.map(({ data }) => placedLiveSchema.strict().parse(data));
    expect(texts.map(({ node, text }) => `${node}: ${text}`).sort()).toEqual([
      'a: of a',
      'b: of b',
    ]);
    expect(other.types()).not.toContain('live');
    expect(nodes.c.asked.some((path) => path.includes('threads='))).toBe(false);
    client.leave();
    await until(
      'its streams to end',
      () => nodes.a.streams.size === 1 && nodes.b.streams.size === 1,
    );
  });

  it('goes on when the node comes back, and begins when a thread is found', async () => {
    let known = false;
    const gateway = await open({ hostOf: async () => (known ? 'a' : null) });
    const node = createFakeNode('a');
    const { cut } = await gateway.connect(node);
    const client = await gateway.follow(`?threads=${A}`);
    await client.until('snapshot');
    known = true;
    cut();
    await client.until('node.down');
    const second = await gateway.connect(node);
    await until('a stream with text', () => [...node.streams].some((s) => s.threads.includes(A)));
    node.live(A, 'one');
    await client.until('live');
    second.cut();
    await client.until('node.down', 2);
    await until('the old streams to end', () => node.streams.size === 0);
    await gateway.connect(node);
    await until('a stream with text', () => [...node.streams].some((s) => s.threads.includes(A)));
    node.live(A, 'two');
    await client.until('live', 2);
  });

  it('is missing, and nothing else, when nobody can say where the thread is', async () => {
    const gateway = await open({
      hostOf: async () => {
        throw new Error('nobody answers');
      },
    });
    const node = createFakeNode('a');
    await gateway.connect(node);
    const client = await gateway.follow(`?threads=${A}`);
    await client.until('snapshot');
    node.step(A);
    await client.until('step.committed');
    expect(gateway.logged).toEqual([expect.stringContaining('nobody answers')]);
  });
});

describe('what is kept of a node', () => {
  it('is asked for when it has come and, now and then, while something happens', async () => {
    const gateway = await open({ limits: { seenFirstMs: 5, seenEveryMs: 30 } });
    const node = createFakeNode('a');
    await gateway.connect(node);
    await until('the first look', () => gateway.seen.has('a'));
    expect(gateway.seen.get('a')).toMatchObject({ node: { name: 'a' }, threads: [] });
    const looks = () => node.asked.filter((path) => path === '/api/node').length;
    const before = performance.now();
    while (looks() < 4) {
      node.step(A);
      await until('a turn', () => true);
      await new Promise((resolve) => setImmediate(resolve));
    }
    // The second may follow at once upon the first; two waits lie between it and the fourth.
    expect(performance.now() - before).toBeGreaterThanOrEqual(2 * 30 - 5);
    await until(
      'the last state',
      () => gateway.seen.get('a')?.threads[0]?.stepCount === node.state.seq,
    );
    const rest = looks();
    await until('quiet', () => gateway.clock.pending() <= 1);
    expect(looks()).toBe(rest);
  });

  it('is as new as the last event for who asks, however rarely it is looked at otherwise', async () => {
    const gateway = await open({
      limits: { seenFirstMs: 3_600_000, seenEveryMs: 3_600_000, seenMaxMs: 3_600_000 },
    });
    const node = createFakeNode('a');
    await gateway.connect(node);
    const client = await gateway.follow();
    await client.until('snapshot');
    await until('the first look', () => gateway.seen.has('a'));
    const looks = () => node.asked.filter((path) => path === '/api/node').length;
    for (const asking of [1, 3]) {
      node.step(A);
      await client.until('step.committed', node.state.seq);
      const before = looks();
      await Promise.all(Array.from({ length: asking }, () => gateway.hub.renewed('a')));
      expect(gateway.seen.get('a')?.threads[0]?.stepCount).toBe(node.state.seq);
      expect(looks()).toBe(before + 1);
    }
    await gateway.hub.renewed('a');
    await gateway.hub.renewed('nobody');
    expect(looks()).toBe(3);
  });

  it('is left as it was when the node does not answer well, which is told once', async () => {
    const gateway = await open();
    const node = createFakeNode('a');
    node.instead = async ({ path }, respond) => {
      if (path !== '/api/node') return false;
      const writer = respond({ status: 200, headers: [], end: false });
      put(writer, '{"name": 7}');
      writer.end();
      return true;
    };
    await gateway.connect(node);
    await until('three looks', () => node.asked.filter((path) => path === '/api/node').length > 2);
    expect(gateway.seen.size).toBe(0);
    expect(gateway.logged).toEqual([expect.stringContaining('its state is not kept')]);
  });
});
