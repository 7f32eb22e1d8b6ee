import type { SnapshotJson } from '@uncaged/protocol/api';
import type { GatewayMessage } from '@uncaged/protocol/api/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTcpProxy, type TcpProxy } from '../link/tcp-proxy.js';
import { until } from '../support/until.js';
import { chain } from '../support/workflows.js';
import { clientOf, createFleet, FLEET_TEST_MAX_MS, type Fleet, type FleetNode } from './fleet.js';

const STEPS = 8;
const LIMITS = { silenceMs: 5_000, backoffMinMs: 20, backoffMaxMs: 200 };

/** What came of a node from one snapshot to the next, or to its end. */
type Stretch = { node: string; after: number; seqs: number[] };

/** What a page would make of the merged stream. */
type View = {
  state: Map<string, string>;
  running: Map<string, Set<string>>;
  stretches: Stretch[];
  snapshots: number;
  take: (message: GatewayMessage) => void;
};

const BEGINS = new Set(['thread.started']);
const ENDS = new Set([
  'thread.paused',
  'thread.interrupted',
  'thread.completed',
  'thread.failed',
  'thread.cancelled',
]);

function createView(): View {
  const current = new Map<string, Stretch>();
  const begin = (node: string, { seq, threads }: SnapshotJson) => {
    const stretch = { node, after: seq, seqs: [] };
    view.stretches.push(stretch);
    current.set(node, stretch);
    view.running.set(node, new Set(threads.map(({ threadId }) => threadId)));
  };
  const view: View = {
    state: new Map(),
    running: new Map(),
    stretches: [],
    snapshots: 0,
    take(message) {
      switch (message.event) {
        case 'snapshot':
          view.snapshots += 1;
          view.state.clear();
          view.running.clear();
          current.clear();
          for (const { machine, snapshot } of message.data.nodes) {
            view.state.set(machine.name, machine.state);
            if (snapshot !== null) begin(machine.name, snapshot);
          }
          return;
        case 'node.up':
          view.state.set(message.data.node, message.data.machine.state);
          begin(message.data.node, message.data.snapshot);
          return;
        case 'node.down':
          view.state.set(message.data.node, message.data.machine.state);
          view.running.delete(message.data.node);
          current.delete(message.data.node);
          return;
        case 'live':
          return;
        default: {
          const { node, seq, type, thread } = message.data;
          const stretch = current.get(node);
          if (stretch === undefined) throw new Error(`${type} of ${node}, which is not there`);
          stretch.seqs.push(seq);
          if (BEGINS.has(type)) view.running.get(node)!.add(thread!);
          if (ENDS.has(type)) view.running.get(node)!.delete(thread!);
        }
      }
    },
  };
  return view;
}

describe('the merged stream of two nodes', { timeout: FLEET_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  let two: FleetNode;
  let link: TcpProxy;
  let road: TcpProxy;
  beforeAll(async () => {
    fleet = await createFleet();
    [link, road] = await Promise.all([
      openTcpProxy(fleet.gateway.port),
      openTcpProxy(fleet.gateway.port),
    ]);
    const workflows = { some: chain('some', STEPS, () => 'sleep 0.1') };
    const urls = [`http://127.0.0.1:${link.port}`];
    [, two] = await Promise.all([
      fleet.add({ name: 'one', urls, workflows }),
      fleet.add({ name: 'two', workflows }),
    ]);
  }, FLEET_TEST_MAX_MS);
  afterAll(async () => {
    await fleet.end();
    await Promise.all([link.close(), road.close()]);
  }, FLEET_TEST_MAX_MS);

  it('tells how it stands and what happens, so that a view is right after every cut', async () => {
    const view = createView();
    const leave = new AbortController();
    const following = clientOf(fleet.gateway, `http://127.0.0.1:${road.port}`).followAll({
      limits: LIMITS,
      signal: leave.signal,
      onEvent: view.take,
    });
    const threads: { threadId: string; node: string }[] = [];
    const startOn = async (...names: string[]) => {
      for (const node of names)
        threads.push(await fleet.client.startSomewhere({ body: { workflow: 'some', node } }));
    };
    const events = (node: string) => {
      const last = view.stretches.findLast((stretch) => stretch.node === node);
      return last?.seqs.length ?? 0;
    };
    const untilEvents = (...names: string[]) =>
      until(`events of ${names} come`, () => names.every((name) => events(name) > 2));
    const running = (rows: { threadId: string; node: string }[]) =>
      rows.map(({ threadId, node }) => `${node} ${threadId}`).sort();
    const untilTrue = () =>
      until('the view is as the nodes are', async () => {
        const { items: machines } = await fleet.client.listNodes();
        const { items } = await fleet.client.listAllThreads({
          query: { status: 'running,waiting', limit: 200 },
        });
        const seen = [...view.running].flatMap(([node, ids]) =>
          [...ids].map((threadId) => ({ node, threadId })),
        );
        return (
          machines.every(({ name, state }) => view.state.get(name) === state) &&
          running(seen).join() === running(items).join()
        );
      });

    await until('a snapshot came', () => view.snapshots > 0);
    expect(view.stretches.map(({ node }) => node).sort()).toEqual(['one', 'two']);

    // The client loses its connection.
    await startOn('one', 'two');
    await untilEvents('one', 'two');
    road.cut();
    await until('another snapshot came', () => view.snapshots > 1);
    await untilTrue();

    // One link is reset, then stands still.
    await startOn('one', 'two');
    await untilEvents('one', 'two');
    const before = view.stretches.length;
    link.cut();
    await until('its node came up again', () => view.stretches.length > before);
    await untilTrue();
    await startOn('one');
    link.freeze();
    await until('its node is known to be away', () => view.state.get('one') === 'offline');
    expect(view.state.get('two')).toBe('online');
    await startOn('two');
    link.thaw();
    await until('its node is back', () => view.state.get('one') === 'online');
    await untilTrue();

    // The gateway dies.
    await startOn('one', 'two');
    await untilEvents('one', 'two');
    const snapshots = view.snapshots;
    await fleet.gateway.service().kill();
    await fleet.gateway.restart();
    await until('a snapshot of the new one came', () => view.snapshots > snapshots);
    await until('both nodes are there', () =>
      ['one', 'two'].every((name) => view.state.get(name) === 'online'),
    );
    await untilTrue();

    // A node dies, and a worker.
    await startOn('one', 'two');
    await two.service().kill();
    await until('it is known to be away', () => view.state.get('two') === 'offline');
    await two.start();
    await until('it is back', () => view.state.get('two') === 'online');
    await startOn('one', 'two');
    await untilEvents('one', 'two');
    const { owner } = await until('a thread of one runs', async () => {
      const last = threads.findLast(({ node }) => node === 'one')!;
      const thread = await fleet.client.getThread({ params: { id: last.threadId } });
      return thread.owner !== null && thread;
    });
    process.kill(owner!.pid, 'SIGKILL');
    await untilTrue();

    await until(
      'all threads have ended',
      async () => {
        const { items } = await fleet.client.listAllThreads({
          query: { status: 'queued,running,interrupted' },
        });
        return items.length === 0;
      },
      40_000,
    );
    const truth = new Map<string, number[]>([
      ['one', []],
      ['two', []],
    ]);
    for (const { threadId, node } of threads)
      await fleet.client.followThread({
        params: { id: threadId },
        onEvent: ({ id, data }) => {
          if (id !== null) truth.get(node)!.push((data as { seq: number }).seq);
        },
      });
    const lastOf = (node: string) => Math.max(...truth.get(node)!);
    await until('the last events came', () =>
      ['one', 'two'].every((node) => {
        const stretch = view.stretches.findLast((each) => each.node === node)!;
        return Math.max(stretch.after, ...stretch.seqs) >= lastOf(node);
      }),
    );
    leave.abort();
    expect(await following).toEqual({ reason: 'aborted' });

    // From each snapshot on, every event of the node, once, in order.
    for (const { node, after, seqs } of view.stretches) {
      const last = seqs.at(-1) ?? after;
      const expected = truth
        .get(node)!
        .filter((seq) => seq > after && seq <= last)
        .sort((a, b) => a - b);
      expect(seqs).toEqual(expected);
    }
    expect(view.stretches.length).toBeGreaterThan(8);
  });
});
