import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import {
  gatewayRoutes,
  gatewaySnapshotSchema,
  placedEventSchema,
  placedLiveSchema,
  routes,
} from '@uncaged/protocol/api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addThread, claim, readEvents, startStep } from '../api/test-api.js';
import { codeOf, openTestServer, type TestServer, TOKEN } from './test-serve.js';

const follow = (server: TestServer, path = '/api/events', signal?: AbortSignal) =>
  fetch(`${server.server.url}${path}`, {
    headers: { authorization: `Bearer ${TOKEN}` },
    ...(signal === undefined ? {} : { signal }),
  });

describe('what a dashboard needs of a gateway', () => {
  it('is a list of nodes, with this one', async () => {
    const { json, port } = await openTestServer();
    const { items } = gatewayRoutes.listNodes.response.schema.parse(await json('/api/nodes'));
    expect(items).toEqual([
      expect.objectContaining({
        name: 'me',
        state: 'online',
        labels: { os: 'linux' },
        allow: ['read', 'control', 'run', 'publish'],
        gateway: `127.0.0.1:${port}`,
      }),
    ]);
  });

  it('is the node with what it says of itself', async () => {
    const { json, store, ask } = await openTestServer();
    const id = addThread(store);
    const detail = gatewayRoutes.getMachine.response.schema.parse(await json('/api/nodes/me'));
    expect(detail.node?.counts.queued).toBe(1);
    expect(detail.threads.map(({ threadId }) => threadId)).toEqual([id]);
    expect(codeOf(await ask('DELETE', '/api/nodes/me'))).toBe('in-use');
    expect(codeOf(await ask('DELETE', '/api/nodes/other'))).toBe('machine-not-found');
  });

  it('is the merged list of threads, with its pages and its faults', async () => {
    const { json, store, ask } = await openTestServer();
    const ids = [1, 2, 3].map(() => addThread(store));
    const { schema } = gatewayRoutes.listAllThreads.response;
    const first = schema.parse(await json('/api/threads?limit=2'));
    expect(first.items.map(({ threadId, node }) => [threadId, node])).toEqual([
      [ids[2], 'me'],
      [ids[1], 'me'],
    ]);
    expect(first.unreachable).toEqual([]);
    const second = schema.parse(await json(`/api/threads?limit=2&cursor=${first.nextCursor}`));
    expect(second.items.map(({ threadId }) => threadId)).toEqual([ids[0]]);
    expect(codeOf(await ask('GET', '/api/threads?limit=0'))).toBe('invalid-argument');
    expect(codeOf(await ask('GET', '/api/threads?node=me'))).toBe('invalid-argument');
    expect((await ask('HEAD', '/api/threads')).status).toBe(200);
  });

  it('starts a thread here, wherever that is asked for', async () => {
    const { ask } = await openTestServer();
    const request = { workflow: 'demo', prompt: 'go' };
    const started: string[] = [];
    for (const [where, wanted] of [
      ['/api/threads', {}],
      ['/api/threads', { node: 'me' }],
      ['/api/threads', { node: 'me', labels: { os: 'plan9' } }],
      ['/api/threads', { labels: { os: 'linux' } }],
      ['/api/threads', { labels: {}, node: null }],
      ['/api/nodes/me/threads', {}],
    ] as const) {
      const headers = { 'idempotency-key': 'once' };
      const answer = await ask('POST', where, { body: { ...request, ...wanted }, headers });
      expect(`${answer.status} ${answer.text}`).toMatch(/^201 /);
      const body: unknown = JSON.parse(answer.text);
      if (where === '/api/threads')
        expect(gatewayRoutes.startSomewhere.response.schema.parse(body).node).toBe('me');
      started.push(routes.startThread.response.schema.parse(body).threadId);
    }
    // The same key and the same request, by either way.
    expect(new Set(started).size).toBe(1);
    for (const [body, code] of [
      [{ ...request, node: 'other' }, 'machine-not-found'],
      [{ ...request, labels: { os: 'plan9' } }, 'machine-not-found'],
      [{ ...request, labels: { constructor: 'x' } }, 'machine-not-found'],
      [{ ...request, node: 'Not A Name' }, 'invalid-argument'],
      [{ ...request, more: 1 }, 'invalid-argument'],
      [{ workflow: 'nothing-of-this-name' }, 'workflow-not-found'],
      ['{"workflow":', 'invalid-argument'],
    ] as const)
      expect(codeOf(await ask('POST', '/api/threads', { body }))).toBe(code);
  });

  it('is the merged stream: a snapshot, then events and text that say whose they are', async () => {
    const test = await openTestServer();
    const { store } = test;
    const running = addThread(store);
    const row = claim(store);
    const abort = new AbortController();
    const response = await follow(test, `/api/events?threads=${running}`, abort.signal);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = readEvents(response);
    const first = await events.next();
    expect(first?.event).toBe('snapshot');
    const { nodes } = gatewaySnapshotSchema.parse(first?.data);
    expect(nodes[0]?.machine.name).toBe('me');
    expect(nodes[0]?.snapshot?.threads.map(({ threadId }) => threadId)).toEqual([running]);

    startStep(store, row, 1);
    const step = await events.next();
    expect(placedEventSchema.parse(step?.data)).toMatchObject({
      type: 'step.started',
      thread: running,
      node: 'me',
    });
    // With text that could be taken for the end of an event.
    const text = 'a\n\nevent: done\ndata: {"x":1}\n\n$& $1 \u{1F600}';
    store.write('normal', () =>
      store.live.append({ thread: running, seq: 1, n: 1, kind: 'text', text }),
    );
    const live = await events.next();
    expect(live?.event).toBe('live');
    expect(placedLiveSchema.parse(live?.data)).toMatchObject({ node: 'me', text });
    abort.abort();
  });

  it('is a thread with its stream, which is as the node gives it', async () => {
    const test = await openTestServer();
    const id = addThread(test.store);
    routes.getThread.response.schema.parse(await test.json(`/api/threads/${id}`));
    const events = readEvents(await follow(test, `/api/threads/${id}/events`));
    expect(await events.next()).toMatchObject({ event: 'thread.queued', data: { thread: id } });
    await events.cancel();
  });
});

describe('/api/nodes/<itself>/…', () => {
  it('is the node’s own API', async () => {
    const { json, store, ask } = await openTestServer();
    const id = addThread(store);
    routes.getNode.response.schema.parse(await json('/api/nodes/me/node'));
    const page = await json('/api/nodes/me/threads?limit=1');
    routes.listThreads.response.schema.parse(page);
    expect(page).not.toHaveProperty('unreachable');
    const paused = await ask('POST', `/api/nodes/me/threads/${id}/pause`);
    expect(paused.status).toBe(202);
    const put = await ask('POST', '/api/nodes/me/cas', { body: { text: 'hello' } });
    expect(put.status).toBe(201);
    const { hash } = JSON.parse(put.text) as { hash: string };
    const got = await ask('GET', `/api/nodes/me/cas/${hash}`);
    expect(got.headers.etag).toBeDefined();
    const again = await ask('GET', `/api/nodes/me/cas/${hash}`, {
      headers: { 'if-none-match': got.headers.etag! },
    });
    expect(again.status).toBe(304);
  });

  it('is nothing else’s, and not what only a gateway has', async () => {
    const { ask } = await openTestServer();
    for (const [path, code] of [
      ['/api/nodes/other/node', 'machine-not-found'],
      ['/api/nodes/other', 'machine-not-found'],
      ['/api/nodes/Other/node', 'invalid-id'],
      [`/api/nodes/${'x'.repeat(300)}/node`, 'invalid-id'],
      ['/api/nodes/me/session', 'route-not-found'],
      ['/api/nodes/me/nodes', 'route-not-found'],
      ['/api/nodes/me/nodes/me/node', 'route-not-found'],
      ['/api/nodes/me/', 'route-not-found'],
      ['/api/nodes/me//node', 'route-not-found'],
      ['/api/nodes//node', 'route-not-found'],
      ['/api/audit', 'route-not-found'],
    ])
      expect(`${path} ${codeOf(await ask('GET', path!))}`).toBe(`${path} ${code}`);
  });

  it.each([
    '/api/nodes/me/../../api/node',
    '/api/nodes/me/%2e%2e/node',
    '/api/nodes/me/.%2E/node',
    '/api/nodes/me/./node',
    '/api/nodes/me%2fnode',
    '/api/nodes/me/cas%2f..%2fnode',
    '/api/nodes/me/node%00',
    '/api/nodes/me/threads/..%5c..%5cx',
    '/api/nodes/%zz/node',
    '/api/nodes/..;/node/../x',
    'http://127.0.0.1/api/node',
    '/healthz/../api/node',
  ])('refuses %s as it stands in the request line', async (path) => {
    const { ask } = await openTestServer();
    expect((await ask('GET', path)).status).toBe(400);
  });
});

describe('a reader that does not read', () => {
  it('keeps nobody waiting, and is cut off between two events', async () => {
    const test = await openTestServer({ apiLimits: { backlogMaxBytes: 50_000, lookEveryMs: 2 } });
    const { store, port, json } = test;
    const id = addThread(store);
    const asked = get({
      host: '127.0.0.1',
      port,
      path: '/api/events',
      agent: false,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    onTestFinished(() => void asked.destroy());
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.pause();
    const filler = 'x'.repeat(50_000);
    const count = 400;
    for (let n = 1; n <= count; n++) {
      store.write('normal', () =>
        store.events.append({ thread: id, type: 'step.started', data: { n, filler } }),
      );
      if (n % 20 === 0) await json('/api/node');
    }
    let text = '';
    for await (const chunk of response) text += (chunk as Buffer).toString();
    expect(text.endsWith('\n\n')).toBe(true);
    const numbers = [...text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers.length).toBeLessThan(count);
  });
});
