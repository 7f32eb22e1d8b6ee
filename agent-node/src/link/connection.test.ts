import { isNotStarted } from '@uncaged/protocol/link';
import { isProblem } from '@uncaged/protocol/problem';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { addThread, openTestApi } from '../api/test-api.js';
import { get, readAll, startGateway, startNode, until } from './test-gateway.js';

const hello = new Hono().get('/hello', (c) => c.text('hello'));

/** Answers are held until `open` is called. */
function createGatedApp() {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let waiting = 0;
  const app = new Hono().get('/:name', async (c) => {
    waiting += 1;
    await gate;
    return c.text(c.req.param('name'));
  });
  return { app, open: () => open(), waiting: () => waiting };
}

describe('a connection', () => {
  it('tells the gateway who it is, and tells who asks how it stands', async () => {
    const gateway = await startGateway();
    const node = startNode([`${gateway.url}/base/`], hello);
    await until('a link', () => gateway.links.length === 1);
    const link = gateway.latest();
    expect(link.path).toBe('/base/connect');
    expect(link.hello).toMatchObject({
      node: 'laptop',
      version: '1.2.3',
      labels: { os: 'linux' },
      allow: ['read', 'run'],
    });
    expect(await readAll(await get(link.mux, '/hello'))).toBe('hello');
    await node.stop();
    expect(await node.ended).toBeNull();
    expect(node.states.map(({ name }) => name)).toEqual([
      'dialling',
      'connected',
      'leaving',
      'ended',
    ]);
    await until('the end', () => link.mux.ended() !== null);
    expect(link.mux.ended()!.goaway).toMatchObject({ code: 'shutdown' });
  });

  it('comes back after a cut, as the same instance, and says why it was lost', async () => {
    const gateway = await startGateway();
    const node = startNode([gateway.url], hello);
    for (let round = 1; round <= 5; round += 1) {
      await until('a link', () => gateway.links.length === round);
      await until('connected', () => node.states.at(-1)!.name === 'connected');
      gateway.latest().socket.terminate();
    }
    await until('another link', () => gateway.links.length === 6);
    expect(new Set(gateway.links.map((link) => link.hello.instance)).size).toBe(1);
    expect(node.waits()[0]).toMatchObject({ gateway: gateway.url, problem: { code: 'link-lost' } });
    expect(await readAll(await get(gateway.latest().mux, '/hello'))).toBe('hello');
  });

  it('finds a gateway that was started anew on the same port', async () => {
    const first = await startGateway();
    const node = startNode([first.url], hello);
    await until('a link', () => first.links.length === 1);
    await first.stop();
    await until('refused attempts', () =>
      node.waits().some(({ problem }) => problem.message.includes('ECONNREFUSED')),
    );
    const second = await startGateway({ port: first.port });
    await until('a link', () => second.links.length === 1);
    expect(await readAll(await get(second.latest().mux, '/hello'))).toBe('hello');
  });

  it('makes a new link when the gateway goes, while the old one ends what it has', async () => {
    const gateway = await startGateway();
    const { app, open, waiting } = createGatedApp();
    startNode([gateway.url], app);
    await until('a link', () => gateway.links.length === 1);
    const old = gateway.latest().mux;
    const before = ['a', 'b', 'c'].map((name) => get(old, `/${name}`).then(readAll));
    await until('the handlers', () => waiting() === 3);
    old.goaway('shutdown', 'maintenance');
    await until('a second link', () => gateway.links.length === 2);
    expect(old.ended()).toBeNull();
    const after = get(gateway.latest().mux, '/d').then(readAll);
    await until('the handler', () => waiting() === 4);
    open();
    expect(await Promise.all([...before, after])).toEqual(['a', 'b', 'c', 'd']);
    await until('the old link to end', () => old.ended() !== null);
    expect(gateway.latest().mux.ended()).toBeNull();
  });

  it('takes the other gateway when one goes, and has one link at a time', async () => {
    const gateways = [await startGateway(), await startGateway()] as const;
    const node = startNode(
      gateways.map(({ url }) => url),
      hello,
    );
    await until('a link', () => gateways[0].links.length === 1);
    gateways[0].latest().mux.goaway('shutdown', 'maintenance');
    await until('a link to the other', () => gateways[1].links.length === 1);
    await until('the first to end', () => gateways[0].latest().mux.ended() !== null);
    await gateways[1].stop();
    await until('a link to the first', () => gateways[0].links.length === 2);
    await until(
      'the third connection',
      () => node.states.filter(({ name }) => name === 'connected').length === 3,
    );
  });

  it('ends when its token is refused, before a link or on one', async () => {
    const gateway = await startGateway();
    const node = startNode([gateway.url], hello);
    await until('a link', () => gateway.links.length === 1);
    gateway.latest().mux.close('revoked', 'by ann');
    const problem = await node.ended;
    expect(problem).toMatchObject({ code: 'token-revoked' });
    expect(String(problem)).toContain('by ann');
    expect(node.states.at(-1)).toMatchObject({ name: 'ended', problem: { code: 'token-revoked' } });
    gateway.admit.with = () => ({ refuse: 'revoked', message: 'by ann' });
    expect(await startNode([gateway.url], hello).ended).toMatchObject({ code: 'token-revoked' });
    gateway.admit.with = () => ({ refuse: 'protocol', message: 'too old' });
    expect(await startNode([gateway.url], hello).ended).toMatchObject({ code: 'update-needed' });
  });

  it('asks for a name that another node has as seldom as can be, and says what to do', async () => {
    const gateway = await startGateway();
    gateway.admit.with = () => ({ refuse: 'name-in-use', message: 'laptop is connected.' });
    const node = startNode([gateway.url], hello, { random: () => 0 });
    await until('a wait', () => node.waits().length === 1);
    expect(node.waits()[0]).toMatchObject({ delayMs: 80, problem: { code: 'name-in-use' } });
    expect(node.waits()[0]!.problem.message).toContain('--name');
    gateway.admit.with = () => ({ generation: 1 });
    await until('a link', () => gateway.links.length === 1);
  });

  it('stops at once while it waits', async () => {
    const node = startNode(['http://127.0.0.1:1'], hello, {
      limits: { retryMinMs: 3_600_000, retryMaxMs: 3_600_000 },
      random: () => 0.9,
    });
    await until('a wait', () => node.waits().length === 1);
    await node.stop();
    expect(await node.ended).toBeNull();
  });

  it('lets requests finish when it stops, and takes no new ones', async () => {
    const gateway = await startGateway();
    const { app, open, waiting } = createGatedApp();
    const node = startNode([gateway.url], app);
    await until('a link', () => gateway.links.length === 1);
    const { mux } = gateway.latest();
    const answer = get(mux, '/last').then(readAll);
    await until('the handler', () => waiting() === 1);
    const stopped = node.stop();
    await until('GOAWAY', () => node.states.at(-1)!.name === 'leaving');
    expect(node.states.at(-1)).toMatchObject({ openStreams: 1 });
    await until('no new requests', () => mux.openStreams() === 1);
    const late = await get(mux, '/late').catch((error: unknown) => error);
    expect(isNotStarted(late)).toBe(true);
    open();
    expect(await answer).toBe('last');
    await stopped;
    expect(waiting()).toBe(1);
  });

  it('ends streams of events in order when it stops, without waiting for them', async () => {
    const { api, store } = await openTestApi();
    const id = addThread(store);
    const gateway = await startGateway();
    const node = startNode([gateway.url], api.app, { limits: { drainMs: 3_600_000 } });
    await until('a link', () => gateway.links.length === 1);
    const answer = await get(gateway.latest().mux, `/api/threads/${id}/events`);
    await until('a follower', () => api.followers() === 1);
    const text = readAll(answer);
    await node.stop();
    expect(await text).toContain('thread.queued');
    expect(api.followers()).toBe(0);
  });

  it('settles every one of a thousand requests whose links are cut under them, each with its own answer', async () => {
    const gateway = await startGateway();
    let turns = 0;
    const app = new Hono().post('/:name', async (c) => {
      const text = await c.req.text();
      turns += 1;
      for (let turn = turns % 5; turn > 0; turn -= 1)
        await new Promise((resolve) => setImmediate(resolve));
      return c.text(`${c.req.param('name')} ${text}`.repeat(1 + (turns % 2) * 2_000));
    });
    const node = startNode([gateway.url], app, { limits: { retryMinMs: 5, retryMaxMs: 5 } });
    await until('a link', () => gateway.links.length === 1);
    const counts = { answered: 0, lost: 0 };
    let sent = 0;
    const ask = async () => {
      while (sent < 1_000) {
        sent += 1;
        const name = `n${sent}`;
        try {
          const body = new Blob([`body of ${name}`]).stream();
          const { mux } = gateway.latest();
          const answer = await mux.request({ method: 'POST', path: `/${name}`, headers: [], body });
          const text = await readAll(answer);
          expect(text.replaceAll(`${name} body of ${name}`, '')).toBe('');
          counts.answered += 1;
        } catch (error) {
          if (!isProblem(error)) throw error;
          counts.lost += 1;
          await until('another link', () => gateway.latest().mux.ended() === null);
        }
        if (sent % 50 === 0) gateway.latest().socket.terminate();
      }
    };
    await Promise.all(Array.from({ length: 40 }, ask));
    expect(counts.answered + counts.lost).toBe(1_000);
    expect(counts.answered).toBeGreaterThan(100);
    expect(counts.lost).toBeGreaterThan(10);
    expect(gateway.links.length).toBeGreaterThan(10);
    await until('a link that holds', () => gateway.latest().mux.ended() === null);
    for (const { mux } of gateway.links) expect(mux.openStreams()).toBe(0);
    await node.stop();
    expect(node.states.at(-1)).toEqual({ name: 'ended', problem: null });
  });
});
