import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { IncomingRequest, RequestHandler, ResponseWriter } from '@uncaged/protocol/link';
import { LINK_LIMITS } from '@uncaged/protocol/link';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Exchange, forward } from './forward.js';
import { answering, createTestNode, type TestNode } from './test-node.test-data.js';

const MIB = 1024 * 1024;
const PRINCIPAL = { role: 'operator', name: 'ann' } as const;
const until = (condition: () => boolean) =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: 5000, interval: 2 });

type Gateway = { port: number; node: TestNode; outcomes: unknown[]; begun: () => number };

async function gatewayWith(
  onRequest: RequestHandler,
  extra: Partial<Pick<Exchange, 'limits' | 'onStatus' | 'relink'>> = {},
): Promise<Gateway> {
  const node = await createTestNode({ onRequest });
  const outcomes: unknown[] = [];
  let begun = 0;
  const server = http.createServer((request, response) => {
    begun += 1;
    forward({
      request,
      response,
      link: node.link,
      path: request.url!,
      principal: PRINCIPAL,
      limits: { link: LINK_LIMITS, uploadMaxBytes: Number.MAX_SAFE_INTEGER },
      ...extra,
    }).then(
      () => outcomes.push('over'),
      (error: unknown) => outcomes.push(error),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, node, outcomes, begun: () => begun };
}

type Answer = {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
  localPort: number;
};
type Asked = { method?: string; path?: string; headers?: http.OutgoingHttpHeaders; body?: string };

/** One connection at most, kept open. */
function clientOf(port: number): (asked?: Asked) => Promise<Answer> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return async ({ method = 'GET', path = '/api/x', headers = {}, body } = {}) => {
    const request = http.request({ agent, port, host: '127.0.0.1', method, path, headers });
    request.end(body);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const { localPort } = response.socket;
    let text = '';
    for await (const chunk of response) text += chunk;
    return {
      status: response.statusCode!,
      headers: response.headers,
      body: text,
      localPort: localPort!,
    };
  };
}

/** A connection on which a test writes as it likes. */
async function rawClient(port: number, text: string) {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  let got = '';
  let closed = false;
  socket.on('data', (chunk) => {
    got += chunk.toString('latin1');
  });
  socket.on('close', () => {
    closed = true;
  });
  socket.write(text, 'latin1');
  return { socket, got: () => got, closed: () => closed };
}

const echo: RequestHandler = answering(async (request, body) => ({
  status: 200,
  json: { method: request.method, path: request.path, body: body ?? null },
}));

describe('one exchange', () => {
  it('goes through as it came, and the connection is used again', async () => {
    const statuses: number[] = [];
    const { port, node, outcomes } = await gatewayWith(echo, {
      onStatus: (status) => statuses.push(status),
    });
    const ask = clientOf(port);
    const first = await ask({ path: '/api/a%2C/%C3%A9?b=%2f&&c=[]' });
    expect(first).toMatchObject({
      status: 200,
      headers: { 'x-uwf-node': 'build-1', 'x-content-type-options': 'nosniff' },
    });
    expect(first.headers['content-length']).toBe(String(first.body.length));
    expect(JSON.parse(first.body)).toEqual({
      method: 'GET',
      path: '/api/a%2C/%C3%A9?b=%2f&&c=[]',
      body: null,
    });
    const second = await ask({ method: 'POST', body: '{"a":"é"}' });
    expect(JSON.parse(second.body).body).toEqual({ a: 'é' });
    const third = await ask({ headers: { 'content-length': '4' }, body: 'true' });
    expect(JSON.parse(third.body)).toMatchObject({ method: 'GET', body: true });
    const fourth = await ask({
      method: 'DELETE',
      headers: { 'transfer-encoding': 'chunked' },
      body: '1',
    });
    expect(JSON.parse(fourth.body).body).toBe(1);
    expect(new Set([first, second, third, fourth].map((one) => one.localPort)).size).toBe(1);
    expect(node.asked[0]!.headers).toContainEqual(['x-uwf-principal', 'operator ann']);
    expect(statuses).toEqual([200, 200, 200, 200]);
    await until(() => outcomes.length === 4);
    expect(node.link.mux.openStreams()).toBe(0);
  });

  it('keeps bytes of headers as they came, both ways', async () => {
    const { port, node } = await gatewayWith(async (_, respond) => {
      respond({
        status: 200,
        headers: [
          ['x-a', 'caf\u00e9'],
          ['x-a', '2'],
        ],
        end: true,
      });
    });
    const { got } = await rawClient(port, 'GET / HTTP/1.1\r\nhost: a\r\nX-B: \u00fc\r\n\r\n');
    await until(() => got().includes('\r\n\r\n'));
    expect(node.asked[0]!.headers).toContainEqual(['x-b', '\u00fc']);
    expect(got()).toContain('x-a: caf\u00e9\r\nx-a: 2\r\n');
    expect(got()).toContain('content-length: 0\r\n');
  });

  it.each([
    ['HEAD', 200, '7', '7'],
    ['GET', 204, null, undefined],
    ['GET', 304, '7', '7'],
  ])('has no body for %s %d', async (method, status, length, expected) => {
    const { port, node } = await gatewayWith(async (_, respond) => {
      const headers: [string, string][] = length === null ? [] : [['content-length', length]];
      // A node that does not keep to that.
      const writer = respond({ status, headers: [...headers, ['etag', '"e"']], end: false });
      await writer.write(Buffer.from('1234567')).catch(() => undefined);
      writer.end();
    });
    const ask = clientOf(port);
    const first = await ask({ method });
    expect(first).toMatchObject({ status, body: '', headers: { etag: '"e"' } });
    expect(first.headers['content-length']).toBe(expected);
    expect(first.headers['transfer-encoding']).toBeUndefined();
    expect((await ask({ method })).localPort).toBe(first.localPort);
    await until(() => node.link.mux.openStreams() === 0);
  });

  it('answers pipelined requests in their order, and forgets them when the client leaves', async () => {
    let left = 0;
    const { port, node, outcomes } = await gatewayWith(async (request, respond) => {
      if (request.path === '/slow') {
        await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
        left += 1;
        return;
      }
      const writer = respond({ status: 200, headers: [], end: false });
      while (!request.signal.aborted)
        await writer.write(new Uint8Array(MIB)).catch(() => undefined);
      left += 1;
    });
    const { socket } = await rawClient(
      port,
      'GET /slow HTTP/1.1\r\nhost: a\r\n\r\nGET /big HTTP/1.1\r\nhost: a\r\n\r\n',
    );
    await until(() => node.asked.length === 2);
    socket.destroy();
    await until(() => left === 2 && outcomes.length === 2);
    expect(outcomes).toEqual(['over', 'over']);
    expect(node.link.mux.openStreams()).toBe(0);
  });

  it('lets a client wait for 100 before it sends', async () => {
    const { port, node } = await gatewayWith(echo);
    const { socket, got } = await rawClient(
      port,
      'POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n',
    );
    await until(() => got().startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
    socket.write('{}');
    await until(() => got().includes('"body":{}'));
    expect(node.asked[0]!.headers.map(([name]) => name)).not.toContain('expect');
  });
});

describe('an answer that comes bit by bit', () => {
  it('leaves as it comes: the head first, then each chunk', async () => {
    let writer: ResponseWriter | null = null;
    const over = deferred();
    const { port } = await gatewayWith(async (_, respond) => {
      writer = respond({
        status: 200,
        headers: [['content-type', 'text/event-stream']],
        end: false,
      });
      await over.promise;
    });
    const { got } = await rawClient(port, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await until(() => got().endsWith('\r\n\r\n'));
    await writer!.write(Buffer.from('one'));
    await until(() => got().endsWith('3\r\none\r\n'));
    await writer!.write(Buffer.from('two'));
    await until(() => got().endsWith('3\r\ntwo\r\n'));
    writer!.end();
    over.resolve();
    await until(() => got().endsWith('0\r\n\r\n'));
  });

  it('is not produced faster than a slow client reads it', async () => {
    let produced = 0;
    const { port } = await gatewayWith(async (_, respond) => {
      const writer = respond({ status: 200, headers: [], end: false });
      for (let at = 0; at < 64; at += 1) {
        await writer.write(new Uint8Array(MIB));
        produced += 1;
      }
      writer.end();
    });
    const request = http.get({ port, host: '127.0.0.1', agent: false });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    // Nothing is read: it comes to a stand.
    let before = -1;
    await vi.waitFor(
      () => {
        const now = produced;
        const stands = now === before && now > 0;
        before = now;
        expect(stands).toBe(true);
      },
      { timeout: 5000, interval: 200 },
    );
    expect(produced).toBeLessThan(20);
    let size = 0;
    for await (const chunk of response) size += chunk.length;
    expect(size).toBe(64 * MIB);
  });

  it('is broken off, never ended, when the node breaks it off', async () => {
    const { port, node, outcomes } = await gatewayWith(async (request, respond) => {
      const length: [string, string][] =
        request.path === '/length' ? [['content-length', '9']] : [];
      const writer = respond({ status: 200, headers: length, end: false });
      await writer.write(Buffer.from('half'));
      await until(() => clients.at(-1)!.got().includes('half'));
      writer.reset('internal', 'broken');
    });
    const clients: Awaited<ReturnType<typeof rawClient>>[] = [];
    for (const line of ['GET /chunks HTTP/1.1', 'GET /length HTTP/1.1', 'GET /old HTTP/1.0']) {
      clients.push(await rawClient(port, `${line}\r\nhost: a\r\n\r\n`));
      const client = clients.at(-1)!;
      let reset = false;
      client.socket.on('error', (error: NodeJS.ErrnoException) => {
        reset = error.code === 'ECONNRESET';
      });
      await until(client.closed);
      expect(client.got()).toContain('half');
      expect(client.got()).not.toContain('0\r\n\r\n');
      // There the end of the connection would be the end of the body.
      if (line.endsWith('1.0')) expect(reset).toBe(true);
    }
    await until(() => outcomes.length === 3);
    expect(outcomes).toEqual(['over', 'over', 'over']);
    expect(node.link.mux.openStreams()).toBe(0);
  });

  it('is broken off when the link ends', async () => {
    const { port, node } = await gatewayWith(async (request, respond) => {
      await respond({ status: 200, headers: [], end: false }).write(Buffer.from('half'));
      await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
    });
    const { got, closed } = await rawClient(port, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await until(() => got().includes('half'));
    node.cut();
    await until(closed);
    expect(got()).not.toContain('0\r\n\r\n');
  });

  it('is never longer or shorter than it says to be', async () => {
    const { port } = await gatewayWith(async ({ path }, respond) => {
      const [, length, text, slow] = path.split('/');
      const writer = respond({ status: 200, headers: [['content-length', length!]], end: false });
      if (slow !== undefined) await new Promise((resolve) => setImmediate(resolve));
      await writer.write(Buffer.from(text!)).catch(() => undefined);
      writer.end();
    });
    const ask = clientOf(port);
    expect(await ask({ path: '/3/abc' })).toMatchObject({ status: 200, body: 'abc' });
    for (const path of ['/2/abc', '/4/abc', '/x/abc'])
      expect(await ask({ path })).toMatchObject({ status: 502 });
    for (const path of ['/2/HTTP/slow', '/4/abc/slow']) {
      const { got, closed } = await rawClient(port, `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
      await until(closed);
      expect(got()).not.toContain('HTTP/1.1 200 OK\r\nHTTP');
      expect(got().split('\r\n\r\n')[1]!.length).toBeLessThan(4);
    }
  });
});

describe('a client that leaves', () => {
  it('calls the request off before its head', async () => {
    let signal: AbortSignal | null = null;
    const { port, node, outcomes } = await gatewayWith(async (request) => {
      signal = request.signal;
      await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
    });
    const { socket } = await rawClient(port, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await until(() => signal !== null);
    socket.destroy();
    await until(() => signal!.aborted && outcomes.length === 1);
    expect(outcomes).toEqual(['over']);
    await until(() => node.link.mux.openStreams() === 0);
  });

  it('calls the request off in the middle of the answer, also while it does not read', async () => {
    let signal: AbortSignal | null = null;
    const { port, node, outcomes } = await gatewayWith(async (request, respond) => {
      signal = request.signal;
      const writer = respond({ status: 200, headers: [], end: false });
      while (!request.signal.aborted)
        await writer.write(new Uint8Array(MIB)).catch(() => undefined);
    });
    const { socket, got } = await rawClient(port, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await until(() => got().length > 0);
    socket.pause();
    socket.destroy();
    await until(() => signal!.aborted && outcomes.length === 1);
    expect(outcomes).toEqual(['over']);
    await until(() => node.link.mux.openStreams() === 0);
  });

  it('does not make a whole body out of half an upload', async () => {
    let failure: unknown = null;
    let whole = false;
    const { port, node, outcomes } = await gatewayWith(async (request) => {
      try {
        for await (const _ of request.body!);
        whole = true;
      } catch (error) {
        failure = error;
      }
    });
    const { socket } = await rawClient(
      port,
      'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n',
    );
    await until(() => node.asked.length === 1);
    socket.destroy();
    await until(() => failure !== null && outcomes.length === 1);
    expect(whole).toBe(false);
  });
});

describe('an upload', () => {
  it('of 64 MiB comes through whole, and so does its echo, in bounded memory', async () => {
    const { port } = await gatewayWith(
      async (request, respond) => {
        const writer = respond({ status: 200, headers: [], end: false });
        for await (const chunk of request.body!) await writer.write(chunk);
        writer.end();
      },
      { limits: { link: LINK_LIMITS, uploadMaxBytes: Number.MAX_SAFE_INTEGER } },
    );
    const before = process.memoryUsage().rss;
    let peak = before;
    const request = http.request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/packs',
      agent: false,
    });
    const sending = (async () => {
      for (let at = 0; at < 64; at += 1) {
        const chunk = Buffer.alloc(MIB, at);
        if (!request.write(chunk)) await once(request, 'drain');
        peak = Math.max(peak, process.memoryUsage().rss);
      }
      request.end();
    })();
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    let size = 0;
    let isRight = true;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      isRight &&=
        chunk[0] === Math.floor(size / MIB) &&
        chunk.at(-1) === Math.floor((size + chunk.length - 1) / MIB);
      size += chunk.length;
    }
    await sending;
    expect([size, isRight]).toEqual([64 * MIB, true]);
    expect(peak - before).toBeLessThan(160 * MIB);
  });

  it('is read no faster than the node reads it', async () => {
    let go = () => {};
    const { port, node } = await gatewayWith(async (request, respond) => {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      let size = 0;
      for await (const chunk of request.body!) size += chunk.byteLength;
      const writer = respond({ status: 200, headers: [], end: false });
      await writer.write(Buffer.from(String(size)));
      writer.end();
    });
    const request = http.request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/packs',
      agent: false,
    });
    let sent = 0;
    const sending = (async () => {
      for (let at = 0; at < 64; at += 1) {
        if (!request.write(Buffer.alloc(MIB))) await once(request, 'drain');
        sent += 1;
      }
      request.end();
    })();
    await until(() => node.asked.length === 1);
    let before = -1;
    await vi.waitFor(
      () => {
        const stands = sent === before;
        before = sent;
        expect(stands).toBe(true);
      },
      { timeout: 5000, interval: 200 },
    );
    expect(sent).toBeLessThan(20);
    go();
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    await sending;
    let text = '';
    for await (const chunk of response) text += chunk;
    expect(text).toBe(String(64 * MIB));
  });

  const small = {
    limits: { link: { ...LINK_LIMITS, maxRequestBodyBytes: 10 }, uploadMaxBytes: 100 },
  };

  it('that says to be too large is refused before the node hears of it; packs may be larger', async () => {
    const { port, node } = await gatewayWith(echo, small);
    const ask = clientOf(port);
    const refused = await ask({ method: 'POST', body: '"345678901"' });
    expect(refused).toMatchObject({
      status: 413,
      headers: { 'content-type': 'application/problem+json' },
    });
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'too-large' });
    expect(node.asked).toHaveLength(0);
    expect((await ask({ method: 'POST', path: '/api/packs?x', body: '"345678901"' })).status).toBe(
      200,
    );
    expect(
      (await ask({ method: 'POST', path: '/api/packs', body: `"${'x'.repeat(99)}"` })).status,
    ).toBe(413);
    expect((await ask({ method: 'POST', path: '/api/packsx', body: '"345678901"' })).status).toBe(
      413,
    );
    expect((await ask()).status).toBe(200);
  });

  it('that turns out to be too large is refused, and its connection closed', async () => {
    const { port } = await gatewayWith(echo, small);
    const { socket, got, closed } = await rawClient(
      port,
      'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n',
    );
    for (let at = 0; at < 40; at += 1) socket.write('5\r\nabcde\r\n');
    await until(() => got().includes('"too-large"'));
    expect(got()).toMatch(/^HTTP\/1.1 413 /);
    expect(got().toLowerCase()).toContain('connection: close\r\n');
    await until(closed);
  });

  it('that is answered early is not read to its end; the client gets the answer and the connection ends', async () => {
    let body: IncomingRequest['body'] = null;
    const { port, node, outcomes } = await gatewayWith(async (request, respond) => {
      body = request.body;
      const writer = respond({ status: 409, headers: [], end: false });
      await writer.write(Buffer.from('no'));
      writer.end();
    });
    const { socket, got, closed } = await rawClient(
      port,
      `POST /api/packs HTTP/1.1\r\nhost: a\r\ncontent-length: ${1024 * MIB}\r\n\r\n`,
    );
    const chunk = Buffer.alloc(MIB);
    const send = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', send);
    send();
    await until(() => got().endsWith('no'));
    expect(got()).toMatch(/^HTTP\/1.1 409 /);
    expect(got().toLowerCase()).toContain('connection: close\r\n');
    await until(closed);
    expect(socket.bytesWritten).toBeLessThan(64 * MIB);
    expect(body).not.toBeNull();
    await until(() => outcomes.length === 1 && node.link.mux.openStreams() === 0);
  });

  it('that is refused while its client is still sending leaves the client its answer', async () => {
    const { port } = await gatewayWith(echo, small);
    for (let turn = 0; turn < 20; turn += 1) {
      const { socket, got, closed } = await rawClient(
        port,
        `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${MIB}\r\n\r\n`,
      );
      let failure: unknown = null;
      socket.on('error', (error) => {
        failure = error;
      });
      // It reads once it has sent everything.
      socket.pause();
      for (let at = 0; at < 16; at += 1) {
        socket.write(Buffer.alloc(MIB / 16));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await until(() => socket.writableLength === 0 || failure !== null);
      expect(failure).toBeNull();
      socket.resume();
      await until(closed);
      expect(got()).toContain('"too-large"');
    }
  });

  it('that was whole but not looked at does not spoil the connection', async () => {
    const { port } = await gatewayWith(async (_, respond) => {
      respond({ status: 200, headers: [['x', 'y']], end: true });
    });
    const ask = clientOf(port);
    for (const size of [1, 100_000, 3 * MIB, 10])
      expect(await ask({ method: 'POST', body: 'x'.repeat(size) })).toMatchObject({ status: 200 });
  });
});

describe('what goes wrong before the head', () => {
  it('is a problem with its status, and the connection goes on', async () => {
    const { port, outcomes } = await gatewayWith(async ({ path }) => {
      if (path === '/fails') throw new Error('on purpose');
      await new Promise(() => undefined);
    });
    const ask = clientOf(port);
    const failed = await ask({ path: '/fails' });
    expect(failed).toMatchObject({
      status: 502,
      headers: { 'content-type': 'application/problem+json' },
    });
    expect(JSON.parse(failed.body)).toMatchObject({ code: 'node-failed' });
    const head = await ask({ method: 'HEAD', path: '/fails' });
    expect(head).toMatchObject({ status: 502, body: '', localPort: failed.localPort });
    const unknown = await ask({ method: 'PROPFIND' });
    expect(unknown).toMatchObject({ status: 400, localPort: failed.localPort });
    const large = await ask({ headers: { 'x-a': 'a'.repeat(15_000), 'x-b': '"'.repeat(900) } });
    expect(large).toMatchObject({ status: 413, localPort: failed.localPort });
    await until(() => outcomes.length === 4);
    expect(outcomes).toEqual(['over', 'over', 'over', 'over']);
  });

  it('is 502 when the link ends', async () => {
    const { port, node } = await gatewayWith(() => new Promise(() => undefined));
    const asking = clientOf(port)();
    await until(() => node.asked.length === 1);
    node.cut();
    expect(JSON.parse((await asking).body)).toMatchObject({ status: 502, code: 'link-lost' });
  });

  it('is asked again on the next link when it was provably not begun, unless it has a body', async () => {
    const next = await createTestNode({ onRequest: echo });
    const { port, node } = await gatewayWith(echo, { relink: () => next.link });
    node.link.mux.goaway('replaced', 'the node dials anew');
    const ask = clientOf(port);
    expect((await ask()).status).toBe(200);
    expect(next.asked).toHaveLength(1);
    expect(JSON.parse((await ask({ method: 'POST', body: '1' })).body)).toMatchObject({
      code: 'unreachable',
    });
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}
