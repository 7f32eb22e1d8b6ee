import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { ApiEnv } from '../api/index.js';
import { addThread, openTestApi } from '../api/test-api.js';
import { get, readAll, startGateway, startNode, until } from './test-gateway.js';

async function connected(app: {
  fetch: (request: Request, line: object) => Response | Promise<Response>;
}) {
  const gateway = await startGateway();
  const node = startNode([gateway.url], app);
  await until('a link', () => gateway.links.length === 1);
  return { gateway, node, mux: gateway.latest().mux };
}
const header = (response: { headers: readonly (readonly [string, string])[] }, name: string) =>
  response.headers.filter(([each]) => each === name).map(([, value]) => value);

describe('requests that come over a link', () => {
  it('are asked of the app with method, path as it was sent, headers and body', async () => {
    const app = new Hono<ApiEnv>();
    app.all('*', async (c) =>
      c.json({
        method: c.req.method,
        raw: c.env.rawPath,
        header: c.req.header('x-test'),
        body: await c.req.text(),
      }),
    );
    const { mux } = await connected(app);
    const body = new Blob(['{"a":1}']).stream();
    const headers = [['x-test', 'yes']] as [string, string][];
    const answer = await mux.request({ method: 'POST', path: '/a/../b?c=%2f', headers, body });
    expect(answer.status).toBe(200);
    expect(header(answer, 'content-type')).toEqual(['application/json']);
    expect(JSON.parse(await readAll(answer))).toEqual({
      method: 'POST',
      raw: '/a/../b?c=%2f',
      header: 'yes',
      body: '{"a":1}',
    });
    const got = await get(mux, '/x');
    expect(JSON.parse(await readAll(got))).toMatchObject({ method: 'GET', body: '' });
  });

  it('get no body for HEAD, 204 and 304, and never a cookie', async () => {
    const app = new Hono();
    app.get('/text', (c) =>
      c.text('hello', 200, { 'set-cookie': 'a=b', 'X-Upper': 'v', 'content-length': '5' }),
    );
    app.get('/none', (c) => c.body(null, 204));
    app.get('/same', () => new Response(null, { status: 304, headers: { etag: '"x"' } }));
    const { mux } = await connected(app);
    const head = await mux.request({ method: 'HEAD', path: '/text', headers: [], body: null });
    expect(head.body).toBeNull();
    expect(header(head, 'content-length')).toEqual(['5']);
    expect(header(head, 'x-upper')).toEqual(['v']);
    expect(header(head, 'set-cookie')).toEqual([]);
    expect((await get(mux, '/none')).body).toBeNull();
    const same = await get(mux, '/same');
    expect([same.status, same.body, header(same, 'etag')]).toEqual([304, null, ['"x"']]);
    expect(await readAll(await get(mux, '/text'))).toBe('hello');
    await until('all to be over', () => mux.openStreams() === 0);
  });

  it('are answered 500 as a problem when the app throws or its head cannot cross, and the log says why', async () => {
    const { mux, node } = await connected({
      fetch: (request) => {
        if (request.url.endsWith('/throw')) throw new Error('the reason');
        return new Response('x', { headers: { 'x-long': 'y'.repeat(20_000) } });
      },
    });
    for (const path of ['/throw', '/long']) {
      const answer = await get(mux, path);
      expect(answer.status).toBe(500);
      expect(header(answer, 'content-type')).toEqual(['application/problem+json']);
      const text = await readAll(answer);
      expect(JSON.parse(text)).toMatchObject({ code: 'internal', status: 500 });
      expect(text).not.toContain('the reason');
    }
    expect(node.log[0]).toContain('the reason');
    expect(node.log).toHaveLength(2);
  });

  it('break off where the body of the answer does', async () => {
    const { mux, node } = await connected({
      fetch: () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              controller.enqueue(new TextEncoder().encode('begin'));
              controller.error(new Error('disk gone'));
            },
          }),
        ),
    });
    await expect(get(mux, '/').then(readAll)).rejects.toMatchObject({ code: 'node-failed' });
    await until('the log', () => node.log.some((line) => line.includes('disk gone')));
  });

  it('stream both ways, each no faster than it is read', async () => {
    const echo = new Hono();
    let pulled = 0;
    echo.post('/', (c) => new Response(c.req.raw.body));
    const { mux } = await connected(echo);
    const chunk = new Uint8Array(64 * 1024).fill(7);
    const total = 64;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (pulled === total) controller.close();
          else {
            pulled += 1;
            controller.enqueue(chunk);
          }
        },
      },
      { highWaterMark: 0 },
    );
    const answer = await mux.request({ method: 'POST', path: '/', headers: [], body });
    let before = -1;
    await until('the sender to stand still', () => {
      const same = before === pulled;
      before = pulled;
      return same && pulled > 0;
    });
    expect(pulled).toBeLessThan(total / 2);
    let size = 0;
    for await (const part of answer.body!) size += part.byteLength;
    expect(size).toBe(total * chunk.byteLength);
  });

  it('that are called off end a stream of events, before and after its head', async () => {
    const { api, store } = await openTestApi();
    const id = addThread(store);
    const { mux } = await connected(api.app);
    for (let round = 0; round < 20; round += 1) {
      const abort = new AbortController();
      const answer = get(mux, `/api/threads/${id}/events`, abort.signal);
      if (round % 2 === 0) {
        const { body, status } = await answer;
        expect(status).toBe(200);
        expect((await body!.read())!.byteLength).toBeGreaterThan(0);
        expect(api.followers()).toBe(1);
      }
      abort.abort();
      await answer.catch((error: unknown) => expect(error).toMatchObject({ code: 'cancelled' }));
      await until('nobody to follow', () => api.followers() === 0);
    }
  });

  it('that are called off cancel a body that knows nothing of signals, also while it has nothing to give', async () => {
    let cancelled = 0;
    const { mux } = await connected({
      fetch: () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new TextEncoder().encode('begin')),
            cancel: () => {
              cancelled += 1;
            },
          }),
        ),
    });
    const answer = await get(mux, '/');
    await answer.body!.read();
    answer.body!.cancel();
    await until('its end', () => cancelled === 1);
    await until('the stream to be over', () => mux.openStreams() === 0);
  });

  it('abort the signal their handler has', async () => {
    let seen: AbortSignal | null = null;
    const { mux } = await connected({
      fetch: (request) => {
        seen = request.signal;
        return new Promise(() => undefined);
      },
    });
    const abort = new AbortController();
    const answer = get(mux, '/', abort.signal);
    await until('the handler', () => seen !== null);
    abort.abort();
    await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
    await until('its signal', () => seen!.aborted);
  });
});
