import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTcpFreezer, type TcpFreezer } from './tcp-freezer.test-data.js';
import {
  dial,
  nodeIdentity,
  openGateway,
  refusedUpgrade,
  type TestGateway,
} from './test-gateway.test-data.js';

let gateway: TestGateway;
let freezer: TcpFreezer | null = null;
beforeEach(async () => {
  gateway = await openGateway();
});
afterEach(async () => {
  await gateway.close();
  await freezer?.close();
  freezer = null;
});

const changesOf = ({ changes }: TestGateway) =>
  changes.map(({ type, link }) => `${type} ${link.name} ${link.generation}`);

describe('a node that connects', () => {
  it('is there, is told of, and can be asked; when it leaves that is told too', async () => {
    const node = await dial(gateway.port);
    expect(node.welcome).toMatchObject({ gateway: 'gw', generation: 1 });
    const link = gateway.links.get('build-1');
    expect(link).toMatchObject({ name: 'build-1', generation: 1, address: '127.0.0.1' });
    const answer = await link?.mux.request({ method: 'GET', path: '/x', headers: [], body: null });
    expect(answer?.status).toBe(200);
    expect(gateway.states.get('build-1')).toBe('online');

    node.mux.close('shutdown', 'bye');
    await vi.waitFor(() => expect(gateway.links.get('build-1')).toBeNull());
    expect(changesOf(gateway)).toEqual(['up build-1 1', 'down build-1 1']);
    expect(gateway.states.get('build-1')).toBe('offline');
    expect(gateway.audit.map(({ action, node: name }) => `${action} ${name}`)).toEqual([
      'link.open build-1',
      'link.close build-1',
    ]);
  });

  it('gets a higher generation each time, and never a lower one', async () => {
    for (const generation of [1, 2, 3]) {
      const node = await dial(gateway.port);
      expect(node.welcome.generation).toBe(generation);
      node.mux.close('shutdown', 'bye');
      await vi.waitFor(() => expect(gateway.links.list()).toEqual([]));
    }
  });

  it('under the name of another token is refused for good, and told whose token it is', async () => {
    const dialling = dial(gateway.port, { hello: { node: 'build-2' } });
    await expect(dialling).rejects.toMatchObject({
      code: 'token-revoked',
      message: expect.stringContaining('The token is that of the node "build-1"'),
    });
    expect(gateway.links.list()).toEqual([]);
    expect(gateway.audit).toMatchObject([{ action: 'link.refused', name: 'build-1' }]);
  });

  it('with the key of the gateway may have any name that is one', async () => {
    await dial(gateway.port, { token: 'key', hello: { node: 'any-name' } });
    expect(gateway.links.get('any-name')).not.toBeNull();
    const dialling = dial(gateway.port, { token: 'key', hello: { node: '../etc' } });
    await expect(dialling).rejects.toMatchObject({ details: { goaway: 'revoked' } });
  });

  it('with labels that are none is refused', async () => {
    const dialling = dial(gateway.port, { hello: { labels: { 'a b': 'x\ny' } } });
    await expect(dialling).rejects.toMatchObject({
      details: { goaway: 'protocol' },
      message: expect.stringContaining('label'),
    });
    expect(gateway.states.size).toBe(0);
  });

  it('hears of listeners that throw nothing, and neither do the other listeners', async () => {
    const heard: string[] = [];
    gateway.links.onChange(() => {
      throw new Error('broken listener');
    });
    const stop = gateway.links.onChange(({ type }) => heard.push(type));
    const node = await dial(gateway.port);
    expect(heard).toEqual(['up']);
    expect(gateway.logged.join('\n')).toContain('broken listener');
    stop();
    node.mux.close('shutdown', 'bye');
    await vi.waitFor(() => expect(gateway.links.list()).toEqual([]));
    expect(heard).toEqual(['up']);
  });
});

describe('a node without a common protocol', () => {
  it('is refused, known as one that needs an update, and online once it has one', async () => {
    const dialling = dial(gateway.port, { hello: { protocols: [99] } });
    await expect(dialling).rejects.toMatchObject({ code: 'update-needed' });
    await vi.waitFor(() => expect(gateway.states.get('build-1')).toBe('update-needed'));
    await dial(gateway.port);
    expect(gateway.states.get('build-1')).toBe('online');
  });

  it('does not change the state of a name that is connected, nor of one that is not its own', async () => {
    await dial(gateway.port);
    const again = dial(gateway.port, { hello: { protocols: [99] } });
    await expect(again).rejects.toMatchObject({ code: 'update-needed' });
    const other = dial(gateway.port, { hello: { node: 'build-2', protocols: [99] } });
    await expect(other).rejects.toMatchObject({ code: 'update-needed' });
    await vi.waitFor(() => expect(gateway.audit).toHaveLength(3));
    expect([...gateway.states]).toEqual([['build-1', 'online']]);
  });
});

describe('a second node of a name', () => {
  it('is refused while the first answers, and told what to do', async () => {
    const first = await dial(gateway.port);
    await expect(dial(gateway.port)).rejects.toMatchObject({
      code: 'name-in-use',
      message: expect.stringMatching(/since .*Z from 127\.0\.0\.1.*another --name/),
    });
    expect(first.ended()).toBeNull();
    expect(gateway.audit.at(-1)).toMatchObject({
      action: 'link.refused',
      node: 'build-1',
      address: '127.0.0.1',
      status: 409,
    });
    expect(gateway.links.get('build-1')?.generation).toBe(1);
    expect(changesOf(gateway)).toEqual(['up build-1 1']);
  });

  it('takes the name over from one that is silent; what comes late from that one changes nothing', async () => {
    const quick = await openGateway({ limits: { probeMs: 100 } });
    freezer = await openTcpFreezer(quick.port);
    const first = await dial(freezer.port);
    const lost = quick.links.get('build-1')!;
    const asked = lost.mux.request({ method: 'GET', path: '/x', headers: [], body: null });
    await asked;
    freezer.freeze();
    const pending = lost.mux.request({ method: 'GET', path: '/y', headers: [], body: null });
    const failed = expect(pending).rejects.toMatchObject({ code: 'link-lost' });
    const second = await dial(quick.port);
    expect(second.welcome.generation).toBe(2);
    await failed;
    expect(lost.mux.ended()).toMatchObject({ cause: 'local' });
    // At once: nobody is there who would answer a close.
    await vi.waitFor(async () => expect(await quick.connections()).toBe(1));
    expect(quick.links.get('build-1')?.generation).toBe(2);
    expect(quick.states.get('build-1')).toBe('online');
    expect(changesOf(quick)).toEqual(['up build-1 1', 'up build-1 2']);
    first.mux.terminate('test over');
    await quick.close();
  });

  it('that leaves while the first is asked is forgotten; the next in line is decided on at once', async () => {
    // Longer than the nodes wait: it must not be what ends the wait.
    const patient = await openGateway({ limits: { probeMs: 60_000 } });
    freezer = await openTcpFreezer(patient.port);
    await dial(freezer.port, { hello: { instance: 'first' } });
    freezer.freeze();
    const probe = vi.spyOn(patient.links.get('build-1')!.mux, 'probe');
    const way = await openTcpFreezer(patient.port);
    const gone = dial(way.port);
    await vi.waitFor(() => expect(probe).toHaveBeenCalledOnce());
    const next = dial(patient.port, { hello: { instance: 'first' } });
    await vi.waitFor(() => expect(patient.asked()).toBe(3));
    await Promise.all([expect(gone).rejects.toMatchObject({ code: 'link-lost' }), way.close()]);
    expect((await next).welcome.generation).toBe(2);
    expect(changesOf(patient)).toEqual(['up build-1 1', 'up build-1 2']);
    await patient.close();
  });

  it('is the same process, which has dialled anew: it replaces its older link at once', async () => {
    const first = await dial(gateway.port, { hello: { instance: 'same' } });
    const second = await dial(gateway.port, { hello: { instance: 'same' } });
    expect(second.welcome.generation).toBe(2);
    await vi.waitFor(() => expect(first.ended()?.goaway?.code).toBe('replaced'));
    expect(gateway.links.get('build-1')?.generation).toBe(2);
    expect(gateway.states.get('build-1')).toBe('online');
    expect(changesOf(gateway)).toEqual(['up build-1 1', 'up build-1 2']);
  });

  it('replaces one that has said good-bye, which may finish what it does', async () => {
    let answer = () => {};
    const first = await dial(gateway.port, {
      answer: new Promise<void>((resolve) => {
        answer = resolve;
      }),
    });
    const older = gateway.links.get('build-1')!;
    const pending = older.mux.request({ method: 'GET', path: '/x', headers: [], body: null });
    await vi.waitFor(() => expect(first.mux.openStreams()).toBe(1));
    first.mux.goaway('shutdown', 'a new one comes');
    const second = await dial(gateway.port);
    expect(second.welcome.generation).toBe(2);
    expect(first.ended()).toBeNull();
    answer();
    expect((await pending).status).toBe(200);
    await vi.waitFor(() => expect(first.ended()?.goaway?.code).toBe('replaced'));
    expect(gateway.links.get('build-1')?.generation).toBe(2);
  });

  it.each([
    ['each a process of its own', (index: number) => `process-${index}`],
    ['all of one process', () => 'one'],
  ])('and fifty at once, %s: exactly one link is left', async (_what, instanceOf) => {
    const dialled = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        dial(gateway.port, { hello: { instance: instanceOf(index) } }),
      ),
    );
    const nodes = dialled.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []));
    expect(nodes.length).toBeGreaterThan(0);
    await vi.waitFor(() => {
      expect(nodes.filter((node) => node.ended() === null)).toHaveLength(1);
    });
    expect(gateway.links.list()).toHaveLength(1);
    await vi.waitFor(async () => expect(await gateway.connections()).toBe(1));
    const generations = gateway.changes.map(({ link }) => link.generation);
    expect(generations).toEqual([...generations].sort((a, b) => a - b));
    expect(gateway.changes.every(({ type }) => type === 'up')).toBe(true);
    const last = nodes.find((node) => node.ended() === null);
    expect(last?.welcome.generation).toBe(gateway.links.get('build-1')?.generation);
  });
});

describe('the token of a link', () => {
  it('is revoked: the link ends, others stay', async () => {
    const node = await dial(gateway.port);
    await dial(gateway.port, { token: 'key', hello: { node: 'other' } });
    gateway.revoke('build-1-token');
    await vi.waitFor(() => expect(node.ended()?.goaway?.code).toBe('revoked'));
    expect(gateway.links.list().map(({ name }) => name)).toEqual(['other']);
    expect(gateway.states.get('build-1')).toBe('offline');
  });

  it('expires: the link ends then, not before', async () => {
    const expiresAt = Date.now() + 300;
    gateway.tokens.set('short', nodeIdentity('build-2', expiresAt));
    gateway.tokens.set('long', nodeIdentity('build-3', Date.now() + 2 ** 40));
    await dial(gateway.port, { token: 'long', hello: { node: 'build-3' } });
    const node = await dial(gateway.port, { token: 'short', hello: { node: 'build-2' } });
    await vi.waitFor(() => expect(node.ended()?.goaway?.code).toBe('revoked'), 5_000);
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
    expect(gateway.links.list().map(({ name }) => name)).toEqual(['build-3']);
  });
});

describe('closing', () => {
  it('says good-bye, lets open requests end, leaves no socket and lets nobody in', async () => {
    let answer = () => {};
    const busy = await dial(gateway.port, {
      answer: new Promise<void>((resolve) => {
        answer = resolve;
      }),
    });
    const idle = await dial(gateway.port, { token: 'key', hello: { node: 'idle' } });
    const link = gateway.links.get('build-1')!;
    const pending = link.mux.request({ method: 'GET', path: '/x', headers: [], body: null });
    await vi.waitFor(() => expect(busy.mux.openStreams()).toBe(1));

    const closing = gateway.links.close(5_000);
    await vi.waitFor(() => expect(busy.goaways.map(({ code }) => code)).toEqual(['shutdown']));
    await vi.waitFor(() => expect(idle.ended()?.goaway?.code).toBe('shutdown'));
    const answered = await refusedUpgrade(gateway.port);
    expect(answered).toMatchObject({ status: 503, problem: { code: 'unreachable' } });
    expect(answered.headers['retry-after']).toBe('3');
    answer();
    expect((await pending).status).toBe(200);
    await closing;
    expect(gateway.links.list()).toEqual([]);
    expect(await gateway.connections()).toBe(0);
    expect([...gateway.states.values()]).toEqual(['offline', 'offline']);
  });

  it('ends frozen links, handshakes and requests that do not end within the limit', async () => {
    freezer = await openTcpFreezer(gateway.port);
    await dial(freezer.port);
    freezer.freeze();
    const stuck = await dial(gateway.port, {
      token: 'key',
      hello: { node: 'stuck' },
      answer: new Promise(() => {}),
    });
    const link = gateway.links.get('stuck')!;
    const pending = link.mux.request({ method: 'GET', path: '/x', headers: [], body: null });
    const failed = expect(pending).rejects.toMatchObject({ code: 'link-lost' });
    // Waits for the frozen one to be asked.
    const waiting = expect(dial(gateway.port)).rejects.toMatchObject({ code: 'link-lost' });
    await vi.waitFor(async () => expect(await gateway.connections()).toBe(3));
    await gateway.links.close(100);
    await Promise.all([failed, waiting]);
    expect(await gateway.connections()).toBe(0);
    expect(stuck.ended()).not.toBeNull();
  });
});
