import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type ClientOptions,
  createGatewayClient,
  createNodeClient,
  type FollowState,
  gatewayRoutes,
  PACK_MEDIA_TYPE,
  routes,
  type ThreadMessage,
} from '@uncaged/protocol/api';
import { problemAnswer } from '@uncaged/protocol/http';
import { Problem } from '@uncaged/protocol/problem';
import { afterEach, expect, it, describe as suite } from 'vitest';

const thread = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const hash = '8JY2SXDDEW4SJ';
const at = '2026-01-31T09:30:00.000Z';

type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
type Answer = (response: ServerResponse, seen: Seen, count: number) => void;

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(answer: Answer): Promise<{ baseUrl: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body };
      seen.push(one);
      answer(response, one, seen.length);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const json =
  (value: unknown, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

const fails =
  (problem: Problem): Answer =>
  (response) => {
    const { status, headers, body } = problemAnswer(problem);
    response.writeHead(status, headers).end(body);
  };

const page =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);

async function nodeFor(answer: Answer, options: ClientOptions & { node?: string } = {}) {
  const { baseUrl, seen } = await serve(answer);
  return { client: createNodeClient({ baseUrl, ...options }), seen, baseUrl };
}

const empty = json({ items: [], nextCursor: null });
const order = { threadId: thread, status: 'running', desired: 'run' };

suite('a client asks', () => {
  it('a node, with lists as commas and nothing that was left out', async () => {
    const { client, seen } = await nodeFor(empty, { token: 'se.cret', validate: routes });
    await client.listThreads({
      query: { status: ['running', 'paused'], limit: 5, q: 'a&b=c ü', workflow: undefined },
    });
    await client.listThreads({ query: { status: [] } });
    expect(seen[0]?.url).toBe('/api/threads?status=running%2Cpaused&limit=5&q=a%26b%3Dc+%C3%BC');
    expect(routes.listThreads.query.parse(queryOf(seen[0]!))).toMatchObject({
      status: ['running', 'paused'],
      q: 'a&b=c ü',
    });
    expect(seen[1]?.url).toBe('/api/threads');
    expect(seen[0]?.headers.authorization).toBe('Bearer se.cret');
  });

  it('a node through a gateway that is below a path', async () => {
    const { baseUrl, seen } = await serve(json({ threadId: thread }, 201));
    const client = createNodeClient({ baseUrl: `${baseUrl}/flows/`, node: 'build-1' });
    await client.startThread({
      body: { workflow: 'demo', inputs: { a: 'ü' } },
      headers: { 'idempotency-key': 'k-1' },
    });
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/flows/api/nodes/build-1/threads',
      body: '{"workflow":"demo","inputs":{"a":"ü"}}',
    });
    expect(seen[0]?.headers).toMatchObject({
      'idempotency-key': 'k-1',
      'content-type': 'application/json',
    });
  });

  it.each([
    ['bytes', () => new TextEncoder().encode('pack é')],
    ['a blob', () => new Blob(['pack é'], { type: 'text/plain' })],
    ['a stream', () => new Blob(['pack é']).stream() as ReadableStream<Uint8Array<ArrayBuffer>>],
  ])('a node with %s as an upload, under the media type of the route', async (_, body) => {
    const lines = '{"type":"progress","phase":"import","done":1,"total":null}\n{"type":"result"}\n';
    const { baseUrl, seen } = await serve(
      page(200, lines, { 'content-type': 'application/x-ndjson' }),
    );
    const client = createNodeClient({ baseUrl });
    const types: string[] = [];
    for await (const { type } of await client.importPack({ body: body() })) types.push(type);
    expect(types).toEqual(['progress', 'result']);
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/api/packs', body: 'pack é' });
    expect(seen[0]?.headers['content-type']).toBe(PACK_MEDIA_TYPE);
  });

  it('a gateway for a thread without saying where it is, and an order without a body for `{}`', async () => {
    const { baseUrl, seen } = await serve(json(order, 202));
    const validate = { ...routes, ...gatewayRoutes };
    const client = createGatewayClient({ baseUrl, validate });
    expect(await client.killThread({ params: { id: thread } })).toEqual(order);
    expect(seen[0]).toMatchObject({ url: `/api/threads/${thread}/kill`, body: '{}' });
  });

  it.each(['', '.', '..'])('nobody when an id would lead elsewhere: %j', async (id) => {
    const { client, seen } = await nodeFor(empty);
    await expect(client.getThread({ params: { id } })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    expect(seen).toEqual([]);
    expect(() => createNodeClient({ baseUrl: 'http://127.0.0.1:1', node: id })).toThrow(Problem);
  });

  it('with every character of an id as it is', async () => {
    const { client, seen } = await nodeFor(fails(new Problem('invalid-id', 'No.')));
    await expect(client.getThread({ params: { id: '../ä?#%\0' } })).rejects.toMatchObject({
      code: 'invalid-id',
    });
    expect(seen[0]?.url).toBe('/api/threads/..%2F%C3%A4%3F%23%25%00');
  });

  it('nobody at an address that is none, and says no secret', () => {
    for (const baseUrl of ['', 'x', 'ftp://user:pw@host', 'http://user:pw@['])
      expect(() => createNodeClient({ baseUrl })).toThrow(/^The address of the API is not/);
    const client = createNodeClient({ baseUrl: 'http://127.0.0.1:1', token: 'se\ncret' });
    return expect(client.getNode()).rejects.toThrow(/^(?!.*cret).*authorization/);
  });

  it('for bytes by range and gives the answer as it is', async () => {
    const { client, seen } = await nodeFor((response, { headers }) =>
      headers.range === undefined
        ? response.writeHead(304, { etag: '"x"' }).end()
        : response.writeHead(206, { 'content-range': 'bytes 2-4/9' }).end('234'),
    );
    const params = { hash };
    const part = await client.getStepContent({ params, headers: { range: 'bytes=2-4' } });
    expect([part.status, await part.text()]).toEqual([206, '234']);
    const same = await client.getStepContent({
      params,
      query: { tail: 9 },
      headers: { 'if-none-match': '"x"' },
    });
    expect(same.status).toBe(304);
    expect(seen[1]?.url).toBe(`/api/steps/${hash}/content?tail=9`);
  });

  it('for lines and gives each as it comes, in whatever pieces', async () => {
    const lines = [1, 2, 3].map((n) => ({ tag: '4KNMR2PX', content: 'ü'.repeat(n), timestamp: n }));
    const bytes = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
    const { client } = await nodeFor(
      (response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        for (let n = 0; n < bytes.length; n += 7) response.write(bytes.subarray(n, n + 7));
        response.end();
      },
      { validate: routes },
    );
    const read: unknown[] = [];
    for await (const line of await client.getThreadLog({ params: { id: thread } })) read.push(line);
    expect(read).toEqual(lines);
  });
});

suite('a client fails with', () => {
  it('the problem that the server says, its faults and when to come back', async () => {
    const errors = [{ path: ['workflow'], message: 'missing' }];
    const wrong = new Problem('invalid-argument', 'workflow: missing.', { details: { errors } });
    const first = await nodeFor(fails(wrong));
    await expect(first.client.getNode()).rejects.toMatchObject({
      ...{ name: 'Problem', code: 'invalid-argument', status: 400, retryable: false },
      ...{ message: 'workflow: missing.', details: { errors } },
    });
    const limited = new Problem('rate-limited', 'Later.', { details: { retryAfterS: 9 } });
    const second = await nodeFor(fails(limited));
    await expect(second.client.getNode()).rejects.toMatchObject({
      ...{ code: 'rate-limited', retryable: true, details: { retryAfterS: 9 } },
    });
  });

  it('what the status says when the code is not known here', async () => {
    const newer = { type: 'x', title: 'x', code: 'too-new', detail: 'Newer.' };
    for (const [status, code] of [
      [404, 'route-not-found'],
      [418, 'internal'],
      [503, 'unreachable'],
    ] as const) {
      const { client } = await nodeFor(json({ ...newer, status }, status));
      const expected = { code, message: 'Newer.', details: { code: 'too-new' } };
      await expect(client.getNode()).rejects.toMatchObject(expected);
    }
  });

  it.each([
    [502, 'unreachable', '<html><h1>502 Bad Gateway</h1>nginx'],
    [504, 'node-timeout', ''],
    [401, 'unauthorized', 'Log in'],
    [500, 'internal', '{"code":1}'],
    [200, 'internal', '<p>Welcome to the hotel</p>'],
  ])('status %i of a proxy in between as %s', async (status, code, body) => {
    const { client } = await nodeFor(page(status, body));
    const failure = (await client.getNode().catch((error: unknown) => error)) as Problem;
    expect(failure).toMatchObject({ name: 'Problem', code });
    expect(failure.message).toContain(
      `GET /api/node was answered by something that is not the API`,
    );
    expect(failure.message).toContain(`status ${status} (text/html)`);
    if (status === 502) expect(failure.message).toContain('“502 Bad Gateway nginx”');
  });

  it('a redirect instead of following it', async () => {
    const { client, seen } = await nodeFor(page(302, '', { location: '/login' }));
    const start = client.startThread({ body: { workflow: 'demo' } });
    await expect(start).rejects.toThrow('with a redirect');
    expect(seen).toHaveLength(1);
  });

  it('`unreachable` when nobody answers or the answer breaks off', async () => {
    const { client, baseUrl } = await nodeFor((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 99 });
      response.write('{"na', () => response.destroy());
    });
    await expect(client.getNode()).rejects.toMatchObject({ code: 'unreachable', retryable: true });
    const server = servers.pop()!;
    await new Promise((resolve) => server.close(resolve));
    const refused = client.getNode({});
    await expect(refused).rejects.toMatchObject({ code: 'unreachable' });
    await expect(refused).rejects.toThrow(`no answer from ${baseUrl} (connect ECONNREFUSED`);
  });

  it('`node-timeout` when an answer does not come, or does not end', async () => {
    const silent = await nodeFor(() => {}, { timeoutMs: 50 });
    await expect(silent.client.getNode()).rejects.toMatchObject({ code: 'node-timeout' });
    const slow = await nodeFor(
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      },
      { timeoutMs: 50 },
    );
    await expect(slow.client.getNode()).rejects.toMatchObject({ code: 'node-timeout' });
  });

  it("the signal's reason when it was given up, before or meanwhile, and lets the server know", async () => {
    let gone = () => {};
    const left = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const reason = new Error('changed my mind');
    const abort = new AbortController();
    const { client, seen } = await nodeFor((response) => {
      response.on('close', gone);
      abort.abort(reason);
    });
    await expect(client.getNode({ signal: abort.signal })).rejects.toBe(reason);
    await left;
    await expect(client.getNode({ signal: abort.signal })).rejects.toBe(reason);
    expect(seen).toHaveLength(1);
  });

  it('`internal` when an answer is not what the route says, if it is asked to look', async () => {
    const strict = await nodeFor(json({ name: 5 }), { validate: routes });
    const failure = (await strict.client.getNode().catch((error: unknown) => error)) as Problem;
    expect(failure).toMatchObject({ code: 'internal' });
    expect(failure.details.errors).toContainEqual(expect.objectContaining({ path: ['name'] }));
    const trusting = await nodeFor(json({ name: 5 }));
    expect(await trusting.client.getNode()).toEqual({ name: 5 });
  });
});

suite('a client follows', () => {
  it('a thread over cut connections without a gap or a repeat', async () => {
    const total = 200;
    const text = (seq: number) => {
      const event = { seq, type: 'step.committed', thread, at, data: { note: 'ü→\n' } };
      return `event: step.committed\r\nid: store.${seq}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`;
    };
    const done = { thread, status: 'completed', returnCode: 0 };
    // Each connection is cut after some bytes, wherever that is; the next goes on after the id that it is asked with.
    const { client, seen } = await nodeFor(
      (response, { headers }, count) => {
        const last = Number(String(headers['last-event-id'] ?? 'store.0').split('.')[1]);
        const rest = Array.from({ length: total - last }, (_, n) => text(last + 1 + n)).join('');
        const bytes = Buffer.from(`:\n\n${rest}event: done\ndata: ${JSON.stringify(done)}\n\n`);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const end = 1000 + count * 397;
        if (end >= bytes.length) response.write(bytes);
        else response.write(bytes.subarray(0, end), () => response.destroy());
      },
      { validate: routes, token: 'se.cret' },
    );
    const messages: ThreadMessage[] = [];
    const states: FollowState[] = [];
    const end = await client.followThread({
      params: { id: thread },
      limits: { backoffMinMs: 1 },
      onEvent: (message) => void messages.push(message),
      onState: (state) => void states.push(state),
    });
    expect(end).toEqual({ reason: 'done' });
    expect(messages.at(-1)).toEqual({ event: 'done', id: null, data: done });
    const seqs = messages.slice(0, -1).map(({ data }) => (data as { seq: number }).seq);
    expect(seqs).toEqual(Array.from({ length: total }, (_, n) => n + 1));
    expect(seen.length).toBeGreaterThan(5);
    expect(seen.every(({ headers }) => headers.authorization === 'Bearer se.cret')).toBe(true);
    expect(states.filter(({ state }) => state === 'open')).toHaveLength(seen.length);
  });

  it('until it is given up, and lets the server know', async () => {
    let gone = () => {};
    const left = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const snapshot = { nodes: [] };
    const { baseUrl, seen } = await serve((response) => {
      response.on('close', gone).writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: snapshot\ndata: ${JSON.stringify(snapshot)}\n\n`);
    });
    const abort = new AbortController();
    const end = await createGatewayClient({ baseUrl }).followAll({
      query: { threads: [thread, thread] },
      signal: abort.signal,
      onEvent: ({ event, data }) => {
        expect([event, data]).toEqual(['snapshot', snapshot]);
        abort.abort();
      },
    });
    expect(end).toEqual({ reason: 'aborted' });
    await left;
    expect(seen[0]?.url).toBe(`/api/events?threads=${thread}%2C${thread}`);
  });

  it('not what is not JSON', async () => {
    const { client, seen } = await nodeFor((response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {\n\n'),
    );
    const end = await client.followNode({ onEvent: () => {} });
    expect(end).toMatchObject({ reason: 'refused', problem: { code: 'bad-frame' } });
    expect(seen).toHaveLength(1);
  });
});

function queryOf({ url }: Seen): Record<string, string> {
  return Object.fromEntries(new URL(url, 'http://x').searchParams);
}
