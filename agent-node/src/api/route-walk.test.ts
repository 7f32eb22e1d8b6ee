import { type Route, routes } from '@uncaged/protocol/api';
import { Problem } from '@uncaged/protocol/problem';
import { describe, expect, it } from 'vitest';
import { ALL, openTestApi, type TestApi } from './test-api.js';

const UNKNOWN: Record<string, string> = {
  id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  other: '01ARZ3NDEKTSV4RRFFQ69G5FAW',
  threadId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  hash: '0000000000000',
  name: 'no-such-thing',
};
const table = Object.entries(routes) as [string, Route][];
const withParams = table.filter(([, { params }]) => params !== null);
const withBody = table.filter(([, { body }]) => body !== null);

function fill(path: string, values: Record<string, string> = UNKNOWN): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => values[name]!);
}

async function problemOf(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = (await response.json()) as { code: string; status: number; detail: string };
  expect(problem.status).toBe(response.status);
  return problem;
}

const askRoute = ({ ask }: TestApi, { method, path }: Route) =>
  ask(method, fill(path), method === 'POST' ? {} : undefined);

describe('every route', () => {
  it.each(table)('%s is closed to whoever the door does not know', async (_, route) => {
    const test = await openTestApi();
    test.caller.current = new Problem('unauthorized', 'Who are you?');
    const response = await askRoute(test, route);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await problemOf(response)).toMatchObject({ code: 'unauthorized', status: 401 });
  });

  it.each(table)('%s is closed when the node does not allow it', async (_, route) => {
    const test = await openTestApi();
    const allow = ALL.filter((word) => word !== route.allow);
    test.caller.current = { role: 'operator', name: 'ann', allow };
    expect(await problemOf(await askRoute(test, route))).toMatchObject({ code: 'forbidden' });
  });

  it.each(table.filter(([, { allow }]) => allow !== 'read'))(
    '%s is closed to a viewer',
    async (_, route) => {
      const test = await openTestApi();
      test.caller.current = { role: 'viewer', name: 'vic', allow: ALL };
      expect(await problemOf(await askRoute(test, route))).toMatchObject({ code: 'forbidden' });
    },
  );

  it.each(table)('%s stands in the OpenAPI document', async (_, { method, path }) => {
    const { ask } = await openTestApi();
    const document = (await (await ask('GET', '/api/openapi.json')).json()) as {
      openapi: string;
      paths: Record<string, Record<string, unknown>>;
    };
    expect(document.openapi).toBe('3.1.0');
    const key = path.replaceAll(/:(\w+)/g, '{$1}');
    expect(document.paths[key]?.[method.toLowerCase()]).toBeTypeOf('object');
  });
});

describe('a route with an id', () => {
  const BAD = ['..%2fx', '%2e%2e', 'a%00', '%ff', 'x'.repeat(300), '%20', 'Ünknown', "'--"];

  it.each(withParams)('%s refuses what is no id before anything looks at it', async (_, route) => {
    const test = await openTestApi();
    for (const bad of BAD) {
      const path = fill(route.path, { id: bad, other: bad, threadId: bad, hash: bad, name: bad });
      const response = await test.api.app.request(
        path,
        {
          method: route.method,
          ...(route.method === 'POST'
            ? { body: '{}', headers: { 'content-type': 'application/json' } }
            : {}),
        },
        { rawPath: path },
      );
      const problem = await problemOf(response);
      expect(`${bad} ${problem.status}`).toBe(`${bad} 400`);
      expect(problem.detail.length).toBeLessThan(500);
    }
    expect(test.log.filter((line) => line.startsWith('M2C8RW5T'))).toEqual([]);
  });

  it.each(withParams)('%s says 404 when there is none', async (name, route) => {
    const test = await openTestApi();
    const response = await askRoute(test, route);
    expect(`${name} ${(await problemOf(response)).status}`).toBe(`${name} 404`);
  });
});

describe('a route with a body', () => {
  it.each(withBody)('%s takes JSON only', async (_, route) => {
    const { ask } = await openTestApi();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
      const response = await ask(route.method, fill(route.path), '{}', { 'content-type': type });
      expect(await problemOf(response)).toMatchObject({ code: 'unsupported-media-type' });
    }
    const bare = await ask(route.method, fill(route.path), undefined, {
      'content-type': 'text/plain',
    });
    expect(bare.status).toBe(415);
  });

  it.each(withBody)('%s refuses what is malformed, deep, huge or unknown', async (_, route) => {
    const { ask } = await openTestApi();
    const send = (body: string) => ask(route.method, fill(route.path), body);
    for (const body of ['{', '{"a":1}x', '[]', '"text"', '{"no-such-field":1}', `"${'\\'}"`]) {
      const { status, detail } = await problemOf(await send(body));
      expect(`${body} ${status}`).toBe(`${body} 400`);
      expect(detail).not.toContain('at JSON.parse');
    }
    const deep = `{"inputs":${'['.repeat(300)}${']'.repeat(300)}}`;
    expect((await problemOf(await send(deep))).detail).toContain('nested deeper than 256');
    expect(await problemOf(await send(`"${'x'.repeat(16 * 1024 * 1024)}"`))).toMatchObject({
      code: 'too-large',
    });
  });
});

describe('a body that comes in pieces', () => {
  it('is refused as soon as it is too large, and the rest is not read', async () => {
    const { api } = await openTestApi({ limits: { bodyMaxBytes: 1_000 } });
    let pulled = 0;
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(400).fill(0x20));
      },
      cancel: () => {
        cancelled = true;
      },
    });
    const response = await api.app.request('/api/cas', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(pulled).toBeLessThan(6);
    expect(cancelled).toBe(true);
  });

  it('must be UTF-8', async () => {
    const { api } = await openTestApi();
    const response = await api.app.request('/api/cas', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"text":"\xff"}', 'latin1'),
    });
    expect(await problemOf(response)).toMatchObject({ code: 'invalid-argument' });
  });

  it('may hold brackets in its texts', async () => {
    const { ask } = await openTestApi();
    const text = `\\"${'[{'.repeat(300)}`;
    expect((await ask('POST', '/api/cas', { text })).status).toBe(201);
  });
});

describe('anything else', () => {
  it('is a 404 problem, and a failure nobody expected an id in the log', async () => {
    const { ask, log, caller } = await openTestApi();
    expect(await problemOf(await ask('GET', '/api/nope'))).toMatchObject({
      code: 'route-not-found',
    });
    expect((await problemOf(await ask('POST', '/api/node', {}))).status).toBe(404);
    caller.current = new Error('secret detail');
    const problem = await problemOf(await ask('GET', '/api/node'));
    expect(problem.code).toBe('internal');
    expect(problem.detail).not.toContain('secret');
    const id = /under (\S+)\.$/.exec(problem.detail)?.[1];
    expect(log.join('\n')).toContain(`${id} GET /api/node: Error: secret detail`);
  });

  it('refuses a query it does not know, or the same name twice', async () => {
    const { ask } = await openTestApi();
    for (const query of [
      'stauts=running',
      'limit=0',
      'limit=201',
      'limit=x',
      'limit=1&limit=2',
      'cursor=x',
    ])
      expect(`${query} ${(await ask('GET', `/api/threads?${query}`)).status}`).toBe(`${query} 400`);
  });

  it('logs who changes something', async () => {
    const { ask, log } = await openTestApi();
    await ask('POST', '/api/cas', { text: 'x' });
    expect(log).toContain('Z4B9HJ6N operator "ann" POST /api/cas');
  });

  it('answers HEAD without leaving a stream open', async () => {
    const { ask, api } = await openTestApi();
    const response = await ask('HEAD', '/api/events');
    expect(response.status).toBe(200);
    expect(response.body).toBeNull();
    expect(api.followers()).toBe(0);
  });
});
