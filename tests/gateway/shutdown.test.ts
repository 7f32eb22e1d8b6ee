import { writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateway, startNode, type TestGateway } from '../support/gateway.js';
import { type Service, startService, untilSaid } from '../support/service.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { chain } from '../support/workflows.js';
import { createFleet, FLEET_TEST_MAX_MS, type Fleet } from './fleet.js';
import { buildTestNode, startTestNode } from './test-node.js';

/** What the end of a program may take beyond what it is told to wait, ms. */
const END_MAX_MS = 5_000;
const GATED = chain('gated', 3, (n) =>
  n === 2 ? 'while [ ! -e "$HOME/gate" ]; do sleep 0.05; done' : 'true',
);

describe('programs that end', { timeout: FLEET_TEST_MAX_MS }, () => {
  let fleet: Fleet;
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    fleet = await createFleet();
  }, FLEET_TEST_MAX_MS);
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await fleet.end();
  }, FLEET_TEST_MAX_MS);

  const open = (path: string) => {
    const asked = request(`${fleet.gateway.url}${path}`, {
      headers: { authorization: `Bearer ${fleet.gateway.key}` },
      agent: false,
    }).end();
    let text = '';
    let isOpen = false;
    const ended = new Promise<string>((resolve) => {
      asked.on('error', () => resolve(text));
      asked.on('response', (response: IncomingMessage) => {
        isOpen = response.statusCode === 200;
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('error', () => resolve(text));
        response.on('close', () => resolve(text));
      });
    });
    return { ended, isOpen: () => isOpen, text: () => text };
  };
  const startGated = async () => {
    const { threadId } = await fleet.client.startSomewhere({
      body: { workflow: 'gated', node: 'one' },
    });
    await until('it waits at the gate', async () => {
      const { items } = await fleet.client.listThreadSteps({ params: { id: threadId } });
      return items.at(-1)?.role === 's2';
    });
    return threadId;
  };

  it('the gateway, told to end with everything open, lets go of all and is found again', async () => {
    const program = await buildTestNode('shutdown', fleet);
    const node = await fleet.add({ name: 'one', workflows: { gated: GATED } });
    await startTestNode(program, fleet, {
      name: 'plain',
      limits: { retryMinMs: 50, retryMaxMs: 300 },
    });
    const threadId = await startGated();
    const streams = [
      open('/api/events'),
      open(`/api/threads/${threadId}/events`),
      open(`/api/nodes/plain/big?bytes=${1e12}`),
    ];
    await until('they are open', () => streams.every(({ isOpen }) => isOpen()));
    const underWay = fleet.gateway.json<{ pathname: string }>(
      'GET',
      '/api/nodes/plain/named/last?ms=400',
    );
    await until('all of them are on the links', async () => {
      const text = await (await fleet.gateway.ask('GET', '/metrics')).text();
      const [, count] = /^uwf_gateway_streams (\d+)$/m.exec(text) ?? [];
      return Number(count) >= 4;
    });
    const gateway = fleet.gateway.service();
    const since = performance.now();
    expect(await gateway.stop()).toBe(0);
    expect(performance.now() - since).toBeLessThan(END_MAX_MS);
    // What could be finished was.
    expect((await underWay).pathname).toBe('/api/named/last');
    await Promise.all(streams.map(({ ended }) => ended));
    expect(node.service().exitCode()).toBeNull();
    await untilSaid(node.service(), 'stderr', /is shutting down/);

    await fleet.gateway.restart();
    await Promise.all([fleet.gateway.untilNode('one'), fleet.gateway.untilNode('plain')]);
    writeFileSync(join(node.machine.cwd, 'gate'), '');
    await until('the thread has ended as if nothing had been', async () => {
      const { status } = await fleet.client.getThread({ params: { id: threadId } });
      return status === 'completed';
    });
  });

  it('`uwf connect` says on Ctrl-C how many threads go on, and they do', async () => {
    const node = await fleet.add({ name: 'one', workflows: { gated: GATED } });
    const first = await startGated();
    const second = await startGated();
    const stream = open(`/api/threads/${first}/events`);
    await until('it is open', () => stream.isOpen());
    const service = node.service();
    const since = performance.now();
    service.signal('SIGINT');
    await until('it has ended', () => service.exitCode() !== null);
    expect(performance.now() - since).toBeLessThan(END_MAX_MS);
    expect(service.exitCode()).toBe(0);
    expect(service.output.stderr).toMatch(/detached; 2 threads go on\n$/);
    await stream.ended;
    await fleet.gateway.untilNode('one', 'offline');
    writeFileSync(join(node.machine.cwd, 'gate'), '');
    for (const id of [first, second])
      await until(`${id} has ended`, async () => {
        const { status } = await node.machine.json<{ status: string }>(['thread', 'show', id]);
        return status === 'completed';
      });
    await node.start();
    await node.disconnect();
    expect(node.service().output.stderr).toMatch(/detached; no threads are running\n$/);
  });

  it('a gateway whose port is taken says so, as impossible now', async () => {
    const taken = startService(
      new URL('../../gateway/bin/uwf-gateway.js', import.meta.url).pathname,
      ['start', '--port', String(fleet.gateway.port), '--data', `${fleet.gateway.dataDir}-other`],
      { cwd: fleet.gateway.dataDir, env: { PATH: process.env.PATH, HOME: fleet.gateway.dataDir } },
    );
    await until('it has ended', () => taken.exitCode() !== null);
    expect(taken.exitCode()).toBe(4);
    expect(taken.output.stdout).toBe('');
    expect(taken.output.stderr).toContain(`Port ${fleet.gateway.port}`);
    expect(taken.output.stderr).toContain('--port');
    expect((await fleet.gateway.ask('GET', '/healthz', { token: null })).status).toBe(200);
  });

  it('a node with two gateways goes to the second one when the first is killed', async () => {
    const key = 'a-key-that-both-gateways-have';
    const gateways: TestGateway[] = [];
    for (let n = 0; n < 2; n++) {
      const gateway = await createGateway({ env: { WORKFLOW_DASHBOARD_SECRET: key } });
      gateways.push(gateway);
      closing.push(() => gateway.dispose());
    }
    const [first, second] = gateways as [TestGateway, TestGateway];
    const machine: Machine = createMachine({ retryMinMs: 50, retryMaxMs: 300 });
    closing.push(() => machine.dispose());
    const node = startNode(machine, first, { name: 'one', urls: [first.url, second.url] });
    closing.push(() => node.stop());
    await first.untilNode('one');
    expect((await second.json<{ items: unknown[] }>('GET', '/api/nodes')).items).toEqual([]);
    await first.service().kill();
    await second.untilNode('one');
    expect(await second.json('GET', '/api/nodes/one/node')).toMatchObject({ name: 'one' });
    expect(node.output.stderr).toContain(`connected to ${second.url}`);
    // And back, when that one says good-bye.
    await first.restart();
    expect(await second.service().stop()).toBe(0);
    await first.untilNode('one');
  });

  it('a second node of a name is told what to do, and takes over when the first is killed', async () => {
    const first = await fleet.add({ name: 'one', labels: 'root=first' });
    const machine = createMachine({ retryMinMs: 50, retryMaxMs: 300 });
    closing.push(() => machine.dispose());
    const second: Service = startNode(machine, fleet.gateway, {
      name: 'one',
      labels: 'root=second',
    });
    closing.push(() => second.stop());
    await untilSaid(second, 'stderr', /stop the other node called "one".*--name.*Next try in/);
    const labels = async () => {
      const { items } = await fleet.client.listNodes();
      expect(items.length).toBe(1);
      return items[0]!.labels.root;
    };
    expect(await labels()).toBe('first');
    expect(first.service().output.stderr).not.toContain('lost');
    expect(second.exitCode()).toBeNull();
    await first.service().kill();
    await until('the second one is it', async () => (await labels()) === 'second');
    await untilSaid(second, 'stderr', /connected to/);
    expect(await fleet.gateway.json('GET', '/api/nodes/one/node')).toMatchObject({
      labels: { root: 'second' },
    });
  });
});
