import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createSystemClock } from '@uncaged/protocol/link';
import { isProblem } from '@uncaged/protocol/problem';
import { Hono } from 'hono';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { dial } from './dial.js';
import { proxyOf } from './proxy.js';
import { retryAfter } from './refusal.js';
import {
  get,
  httpAnswer,
  readAll,
  startGateway,
  startNode,
  TOKEN,
  testLimits,
  until,
} from './test-gateway.js';

const hello = new Hono().get('/hello', (c) => c.text('hello'));

/** What an attempt comes to, as the Problem it rejects with. */
async function refusal(url: string, proxyFor = () => '') {
  const error = await dial({
    gateway: url,
    token: TOKEN,
    proxyFor,
    limits: testLimits,
    clock: createSystemClock(),
    signal: new AbortController().signal,
  }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isProblem(error)) throw new Error('it was not refused', { cause: error });
  expect(error.message).not.toContain(TOKEN);
  return error;
}

/** A server that says `text` to whatever comes, and how many are connected to it. */
async function startRaw(answer: (socket: Socket, text: string) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.once('data', (data) => answer(socket, data.toString('latin1')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

describe('dialling a gateway', () => {
  it('asks for the subprotocol with the token in a header, uncompressed', async () => {
    const gateway = await startGateway();
    startNode([`${gateway.url}/`], hello);
    await until('a link', () => gateway.links.length === 1);
    const { url, headers } = gateway.dials[0]!;
    expect(url).toBe('/connect');
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(headers['sec-websocket-protocol']).toBe('uwf.link.1');
    expect(headers['sec-websocket-extensions']).toBeUndefined();
  });

  it.each([
    ['401 Unauthorized', 'unauthorized'],
    ['403 Forbidden', 'forbidden'],
  ])('ends for good with %s, saying what the gateway says', async (status, code) => {
    const gateway = await startGateway();
    const body = JSON.stringify({ detail: 'the token has expired', code });
    gateway.refuse.with = httpAnswer(status, { 'content-type': 'application/problem+json' }, body);
    const node = startNode([gateway.url], hello);
    const problem = await node.ended;
    expect(problem).toMatchObject({ code });
    expect(String(problem)).toContain('the token has expired');
    expect(gateway.dials).toHaveLength(1);
  });

  it.each([
    ['503 Service Unavailable', '1', 1_000],
    ['429 Too Many Requests', '2', 2_000],
    ['503 Service Unavailable', '999999', 60_000],
  ])('waits as long as %s with Retry-After %s says, within reason', async (status, value, ms) => {
    const gateway = await startGateway();
    gateway.refuse.with = httpAnswer(status, { 'retry-after': value }, '');
    const node = startNode([gateway.url], hello, { random: () => 0 });
    await until('a wait', () => node.waits().length === 1);
    expect(node.waits()[0]!.delayMs).toBe(ms);
    await node.stop();
  });

  it('reads a Retry-After that is a date, and none that is neither', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfter('Thu, 01 Jan 2026 00:00:05 GMT', 60_000, now)).toBe(5_000);
    expect(retryAfter('Thu, 01 Jan 2025 00:00:05 GMT', 60_000, now)).toBe(0);
    expect(retryAfter('soon', 60_000, now)).toBeNull();
    expect(retryAfter(undefined, 60_000, now)).toBeNull();
  });

  it('tries again where no gateway answers, and says what did', async () => {
    const gateway = await startGateway();
    const node = startNode([gateway.url], hello);
    for (const [status, text] of [
      ['200 OK', 'answers 200'],
      ['404 Not Found', 'Check the path of --gateway'],
      ['302 Found', 'answers 302'],
    ] as const) {
      gateway.refuse.with = httpAnswer(status, { location: 'http://127.0.0.1:1/' }, '<html>');
      await until(status, () => node.waits().some(({ problem }) => problem.message.includes(text)));
    }
    gateway.refuse.with = null;
    await until('a link', () => gateway.links.length === 1);
  });

  it('is done with an answer that has no end, and with one that is endless', async () => {
    const slow = await startRaw((socket) => {
      socket.write(
        'HTTP/1.1 401 No\r\ncontent-type: text/plain\r\ncontent-length: 99\r\n\r\nbegin',
      );
    });
    const unauthorized = await refusal(`http://127.0.0.1:${slow.port}`);
    expect(unauthorized).toMatchObject({ code: 'unauthorized' });
    expect(unauthorized.message).toContain('It says: begin');
    const endless = await startRaw((socket) => {
      socket.write('HTTP/1.1 500 No\r\ncontent-type: text/plain\r\n\r\n');
      const more = () => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
      };
      socket.on('drain', more);
      more();
    });
    expect((await refusal(`http://127.0.0.1:${endless.port}`)).message.length).toBeLessThan(1_000);
    await until('both to be let go', () => slow.sockets.size + endless.sockets.size === 0);
  });

  it('gives up on what says nothing, and tries again', async () => {
    const silent = await startRaw(() => undefined);
    const node = startNode([`http://127.0.0.1:${silent.port}`], hello, {
      limits: { handshakeMs: 30 },
    });
    await until('two waits', () => node.waits().length === 2);
    expect(node.waits()[0]!.problem).toMatchObject({ code: 'node-timeout' });
    await node.stop();
    await until('no connections', () => silent.sockets.size === 0);
  });

  it('stops at once while a gateway says nothing', async () => {
    const silent = await startRaw(() => undefined);
    const node = startNode([`http://127.0.0.1:${silent.port}`], hello, {
      limits: { handshakeMs: 3_600_000 },
    });
    await until('a connection', () => silent.sockets.size === 1);
    await node.stop();
    expect(node.states.map(({ name }) => name)).toEqual(['dialling', 'leaving', 'ended']);
    await until('no connections', () => silent.sockets.size === 0);
  });

  it('says that nothing listens, that a host is unknown, that it is no TLS', async () => {
    expect((await refusal('http://127.0.0.1:1')).message).toContain('nothing listens there');
    const plain = await startGateway();
    const noTls = await refusal(plain.url.replace('http', 'https'));
    expect(noTls.message).toContain('Is it an http:// gateway?');
    const junk = await startRaw((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    expect(await refusal(`http://127.0.0.1:${junk.port}`)).toMatchObject({ code: 'unreachable' });
  });

  it('names what is wrong with a certificate, and what to do', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'x' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'other.test' }] }],
    });
    const gateway = await startGateway({ tls: { key, cert } });
    const { message } = await refusal(gateway.url);
    expect(message).toContain('self-signed');
    expect(message).toContain('NODE_EXTRA_CA_CERTS');
  });
});

describe('dialling through a proxy', () => {
  const connectLine = /^CONNECT ([^ ]+) HTTP\/1\.1\r\n/;

  it('asks it for a tunnel, with its own password and without the token', async () => {
    const gateway = await startGateway();
    const asked: string[] = [];
    const proxy = await startRaw((socket, text) => {
      asked.push(text);
      const inner = connect(gateway.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(inner).pipe(socket);
      });
      inner.on('error', () => socket.destroy());
    });
    const node = startNode(['http://gateway.test:4800'], hello, {
      proxyFor: (url) =>
        url.startsWith('http://gateway.test') ? `http://me:pw@127.0.0.1:${proxy.port}` : '',
    });
    await until('a link', () => gateway.links.length === 1);
    expect(connectLine.exec(asked[0]!)?.[1]).toBe('gateway.test:4800');
    expect(asked[0]).toContain(`Basic ${Buffer.from('me:pw').toString('base64')}`);
    expect(asked[0]).not.toContain(TOKEN);
    expect(await readAll(await get(gateway.latest().mux, '/hello'))).toBe('hello');
    await node.stop();
    await until('no connections', () => proxy.sockets.size === 0);
  });

  it('takes what the proxy refuses for no word of the gateway, and shows no password', async () => {
    for (const [status, text] of [
      ['403 Forbidden', 'answers 403'],
      ['407 Proxy Authentication Required', 'asks for a name and a password'],
    ] as const) {
      const proxy = await startRaw((socket) => socket.end(httpAnswer(status, {}, 'no')));
      const problem = await refusal(
        'http://gateway.test',
        () => `http://me:pw@127.0.0.1:${proxy.port}`,
      );
      expect(problem).toMatchObject({ code: 'unreachable' });
      expect(problem.message).toContain(text);
      expect(problem.message).not.toContain('pw@');
    }
  });

  it('lets go of a proxy that does not answer', async () => {
    const proxy = await startRaw(() => undefined);
    const node = startNode(['http://gateway.test'], hello, {
      limits: { handshakeMs: 30 },
      proxyFor: () => `http://127.0.0.1:${proxy.port}`,
    });
    await until('two waits', () => node.waits().length === 2);
    await node.stop();
    await until('no connections', () => proxy.sockets.size === 0);
  });

  it('refuses a proxy of another kind for good', async () => {
    const node = startNode(['http://gateway.test'], hello, {
      proxyFor: () => 'socks5://me:pw@p:1',
    });
    expect(await node.ended).toMatchObject({ code: 'invalid-argument' });
    expect(String(await node.ended)).not.toContain('pw');
  });

  describe('by the environment', () => {
    afterEach(() => {
      vi.unstubAllEnvs();
    });
    it.each([
      ['HTTPS_PROXY', '', 'https://a.test/connect', 'http://p:1'],
      ['https_proxy', '', 'https://a.test/connect', 'http://p:1'],
      ['HTTP_PROXY', '', 'http://a.test/connect', 'http://p:1'],
      ['HTTP_PROXY', '', 'https://a.test/connect', ''],
      ['HTTPS_PROXY', 'a.test', 'https://a.test/connect', ''],
      ['HTTP_PROXY', '', 'http://127.0.0.1:4800/connect', ''],
      ['HTTP_PROXY', '', 'http://localhost/connect', ''],
      ['HTTP_PROXY', '', 'http://[::1]/connect', ''],
    ])('%s with NO_PROXY=%j is for %s: %j', (name, noProxy, url, proxy) => {
      for (const each of ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy']) {
        vi.stubEnv(each, '');
        vi.stubEnv(each.toUpperCase(), '');
      }
      vi.stubEnv(name, 'http://p:1');
      vi.stubEnv('NO_PROXY', noProxy);
      expect(proxyOf(url)).toBe(proxy);
    });
  });
});
