import type { IncomingRequest, ResponseHead } from '@uncaged/protocol/link';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { ApiEnv } from '../api/index.js';
import { createBareRequest, isBare } from './bare-request.js';
import { createJsonAnswer } from './json-answer.js';
import { createRequestServer } from './serve-request.js';

const incoming = (path: string, method: IncomingRequest['method'] = 'GET'): IncomingRequest => ({
  method,
  path,
  headers: [
    ['accept', 'a'],
    ['accept', 'b'],
    ['x-uwf-principal', 'viewer ann'],
  ],
  body: null,
  signal: new AbortController().signal,
});

/** What the handler of a link says to a request. */
async function answered(app: Hono<ApiEnv>, request: IncomingRequest) {
  let head: ResponseHead | null = null;
  let text = '';
  const handler = createRequestServer({
    app,
    log: () => undefined,
    leaving: new AbortController().signal,
  });
  await handler(request, (given) => {
    head = given;
    return {
      write: async (chunk) => {
        text += Buffer.from(chunk).toString();
      },
      end: () => undefined,
      reset: () => undefined,
    };
  });
  return { ...(head as unknown as ResponseHead), text };
}

describe('a request that is made as it is looked at', () => {
  it('is a request like the real one', async () => {
    const given = incoming('/api/threads/1?limit=2', 'POST');
    const bare = createBareRequest(given);
    const real = new Request(bare.url, { method: 'POST', headers: given.headers });
    expect(bare).toBeInstanceOf(Request);
    expect(bare.signal).toBe(given.signal);
    for (const key of ['method', 'url', 'body', 'bodyUsed', 'mode', 'redirect', 'cache'] as const)
      expect([key, bare[key]]).toEqual([key, real[key]]);
    expect([...bare.headers]).toEqual([...real.headers]);
    expect(await bare.clone().text()).toBe('');
    expect(await bare.text()).toBe('');
  });

  it('is used only where a URL leaves the path as it is', () => {
    for (const path of ['/', '/api/threads/01H-x_y~z?limit=2&cursor=a.b:c%2f+d', '/a?'])
      expect([path, isBare(incoming(path)), new URL(`http://node${path}`).href]).toEqual([
        path,
        true,
        `http://node${path}`,
      ]);
    for (const path of ['/a/../b', '/%2e%2e/b', '/a\\b', '/a#b', '/a"b', "/a?b='c'", '/a?b#c'])
      expect([path, isBare(incoming(path))]).toEqual([path, false]);
  });
});

describe('an answer in JSON that is made as it is looked at', () => {
  const make = () => createJsonAnswer('{"a":"é"}', 201, [['cache-control', 'no-store']]);

  it('is a response like the real one', async () => {
    const real = new Response('{"a":"é"}', {
      status: 201,
      headers: { 'cache-control': 'no-store', 'content-type': 'application/json' },
    });
    const answer = make();
    expect(answer).toBeInstanceOf(Response);
    expect([answer.status, answer.ok, answer.statusText]).toEqual([201, true, '']);
    expect([...answer.headers]).toEqual([...real.headers]);
    expect(await answer.clone().json()).toEqual({ a: 'é' });
    expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe('{"a":"é"}');
    expect(answer.bodyUsed).toBe(true);
  });

  it('goes over the link as it is, without its body for HEAD', async () => {
    const app = new Hono<ApiEnv>();
    app.get('/a', () => make());
    const got = await answered(app, incoming('/a'));
    expect(got).toEqual({
      status: 201,
      headers: [
        ['cache-control', 'no-store'],
        ['content-type', 'application/json'],
      ],
      end: false,
      text: '{"a":"é"}',
    });
    const head = await answered(app, incoming('/a', 'HEAD'));
    expect([head.status, head.end, head.text]).toEqual([201, true, '']);
    expect(head.headers).toContainEqual(['content-type', 'application/json']);
  });

  it('goes with what somebody on its way has changed', async () => {
    const app = new Hono<ApiEnv>();
    app.use(async (c, next) => {
      await next();
      c.res.headers.set('x-more', 'yes');
    });
    app.get('/a', () => make());
    const got = await answered(app, incoming('/a'));
    expect(got.headers).toContainEqual(['x-more', 'yes']);
    expect([got.status, got.text]).toEqual([201, '{"a":"é"}']);
  });
});
