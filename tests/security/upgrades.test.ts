import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientOptions } from 'ws';
import { createGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/until.js';
import { createSaid } from './no-secrets.js';
import { requestText, sendRaw } from './raw-request.js';
import { bearer, dialNode, openSocket } from './test-nodes.js';
import { forge, inSeconds } from './tokens.js';

const HALF_OPEN = 200;
const HANDSHAKE_MS = 1_500;
const MIB = 1024 * 1024;

describe('upgrades at a gateway', () => {
  const said = createSaid();
  let gateway: TestGateway;
  let token: string;
  let viewer: string;
  let operator: string;

  beforeAll(async () => {
    gateway = await createGateway({
      limits: {
        failuresMax: 1_000,
        headersMs: HANDSHAKE_MS,
        connectionsCheckMs: 200,
        link: { handshakeMs: HANDSHAKE_MS },
      },
    });
    [token, viewer, operator] = await Promise.all([
      gateway.token('node', 'build-1'),
      gateway.token('viewer', 'vera'),
      gateway.token('operator', 'otto'),
    ]);
  });
  afterAll(async () => {
    await gateway.service().stop();
    const { stdout, stderr } = gateway.service().output;
    said.add('gateway', stdout + stderr);
    said.addFiles(gateway.dataDir, ['/key']);
    said.expectNone([gateway.key, token, viewer, operator]);
    expect(stderr).not.toMatch(/\\n {4}at /);
    await gateway.dispose();
  });

  /** Status of the refusal, or 101. */
  async function dial(options: ClientOptions, protocols?: string | string[]): Promise<number> {
    const socket = openSocket(gateway.port, options, protocols);
    const status = await new Promise<number>((resolve) => {
      socket.once('upgrade', () => resolve(101));
      socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
    });
    socket.terminate();
    return status;
  }

  it('are for nodes that show a good token and speak the protocol', async () => {
    const good = bearer(token);
    const with_ = (headers: Record<string, string>) => ({
      headers: { ...good.headers, ...headers },
    });
    const cases: [string, ClientOptions, string | string[] | undefined, number][] = [
      ['no token', {}, undefined, 401],
      ['a wrong token', bearer('a-guess-of-the-key-of-it'), undefined, 401],
      ['one of another gateway', bearer(forge('the-key-of-another')), undefined, 401],
      [
        'an expired one',
        bearer(
          forge(gateway.key, { claims: { role: 'node', sub: 'build-1', exp: inSeconds(-10) } }),
        ),
        undefined,
        401,
      ],
      ['one of a viewer', bearer(viewer), undefined, 403],
      ['one of an operator', bearer(operator), undefined, 403],
      ['a page of another site', with_({ origin: 'https://evil.example' }), undefined, 403],
      ['a page from nowhere', with_({ origin: 'null' }), undefined, 403],
      ['another host', with_({ host: 'evil.example' }), undefined, 403],
      ['another protocol', good, 'uwf.link.9', 400],
      ['no protocol', good, [], 400],
      ['a protocol among others', good, ['x', 'uwf.link.1'], 101],
      ['all as it should be', good, undefined, 101],
    ];
    for (const [what, options, protocols, status] of cases)
      expect(`${what}: ${await dial(options, protocols)}`).toBe(`${what}: ${status}`);
  });

  it('are not there for cookies, tokens in the address, or other paths', async () => {
    const login = await gateway.ask('POST', '/api/session', { body: { token: operator } });
    const cookie = login.headers.get('set-cookie')!.split(';')[0]!;
    expect(await dial({ headers: { cookie } })).toBe(403);
    const upgrade = [
      'Upgrade: websocket',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol: uwf.link.1',
    ];
    const ask = async (line: string, headers: string[]) => {
      const text = requestText(line, gateway.port, headers).replace('n: close', 'n: Upgrade');
      const { status, body } = await sendRaw(gateway.port, text);
      said.add(line.split('?')[0]!, body);
      return status;
    };
    const good = [...upgrade, `Authorization: Bearer ${token}`];
    const version = 'Sec-WebSocket-Version: 13';
    const query = `token=${token}&key=${gateway.key}`;
    expect(await ask(`GET /connect?${query} HTTP/1.1`, [...upgrade, version])).toBe(401);
    for (const path of ['/', '/api/events', '/connect/', '/api/../connect', '/CONNECT'])
      expect(`${path} ${await ask(`GET ${path} HTTP/1.1`, [...good, version])}`).toBe(
        `${path} 404`,
      );
    expect(await ask('POST /connect HTTP/1.1', [...good, version])).toBe(404);
    expect(await ask('GET /connect HTTP/1.1', [...good, 'Sec-WebSocket-Version: 1'])).toBe(400);
    expect(await ask('GET /connect HTTP/1.1', ['Upgrade: h2c', ...good.slice(1)])).toBe(400);
  });

  it('take no more than a frame, no text and no garbage', async () => {
    const hello = Buffer.from([1, 0, 0, 0, 0]);
    const cases: Record<string, (send: (data: Uint8Array | string) => void) => void> = {
      '10 MiB': (send) => send(Buffer.alloc(10 * MIB)),
      'a text': (send) => send('{"node":"build-1"}'),
      nothing: (send) => send(Buffer.alloc(0)),
      'one byte': (send) => send(Buffer.from([1])),
      garbage: (send) => send(Buffer.from('GET / HTTP/1.1\r\n\r\n')),
      'a HELLO of nothing': (send) => send(hello),
      'a HELLO that is no JSON': (send) => send(Buffer.concat([hello, Buffer.from('{"node":')])),
      'a HELLO nested deeply': (send) =>
        send(Buffer.concat([hello, Buffer.from('['.repeat(15_000))])),
      'an answer before HELLO': (send) => send(Buffer.from([0x11, 0, 0, 0, 1, 0x7b, 0x7d])),
      'PINGs before HELLO': (send) => {
        for (let n = 0; n < 1_000; n += 1)
          send(Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, n]));
      },
    };
    await Promise.all(
      Object.entries(cases).map(async ([what, act]) => {
        const socket = openSocket(gateway.port, bearer(token));
        await once(socket, 'open');
        const closed = once(socket, 'close');
        act((data) => socket.send(data));
        await Promise.race([
          closed,
          new Promise((_, reject) =>
            setTimeout(() => reject(new Error(`${what}: not closed`)), 10_000).unref(),
          ),
        ]);
      }),
    );
  });

  it('are closed when a message comes in endless pieces, or as it should not be on the wire', async () => {
    const piece = (first: number, payload: Buffer) =>
      Buffer.concat([Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
    const wires: Record<string, () => Buffer[]> = {
      'endless pieces': () => [
        piece(0x02, Buffer.alloc(100)),
        ...new Array<Buffer>(2_000).fill(piece(0x00, Buffer.alloc(100))),
      ],
      'endless empty pieces': () => [
        piece(0x02, Buffer.alloc(0)),
        ...new Array<Buffer>(50_000).fill(piece(0x00, Buffer.alloc(0))),
      ],
      'not masked': () => [Buffer.from([0x82, 2, 1, 1])],
      'a reserved bit': () => [piece(0xc2, Buffer.alloc(5))],
      'an opcode that there is not': () => [piece(0x83, Buffer.alloc(5))],
      'the end of a message that did not begin': () => [piece(0x80, Buffer.alloc(5))],
      'a length of 2^63': () => [
        Buffer.from([0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
      ],
    };
    const head = requestText('GET /connect HTTP/1.1', gateway.port, [
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol: uwf.link.1',
      `Authorization: Bearer ${token}`,
    ]).replace('Connection: close', 'Connection: Upgrade');
    const answers = await Promise.all(
      Object.entries(wires).map(async ([what, wire]) => {
        const { status } = await sendRaw(
          gateway.port,
          Buffer.concat([Buffer.from(head), ...wire()]),
        );
        return `${what}: ${status}`;
      }),
    );
    expect(answers).toEqual(Object.keys(wires).map((what) => `${what}: 101`));
  });

  it('that come to nothing are forgotten, and who has a token still gets in', async () => {
    const sockets = Array.from({ length: HALF_OPEN }, (_, n) => {
      const socket = connect(gateway.port, '127.0.0.1');
      socket.on('error', () => undefined); // closed by the gateway, which is what is waited for
      const half = requestText('GET /connect HTTP/1.1', gateway.port, [
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        'Sec-WebSocket-Protocol: uwf.link.1',
        `Authorization: Bearer ${token}`,
      ]).replace('Connection: close', 'Connection: Upgrade');
      // A third says nothing, a third half of a request, a third upgrades and never says HELLO.
      if (n % 3 === 1) socket.write(half.slice(0, 100));
      if (n % 3 === 2) socket.write(half);
      socket.resume();
      return socket;
    });
    await until('all are connected', () => sockets.every(({ connecting }) => !connecting));
    expect((await gateway.ask('GET', '/api/nodes')).status).toBe(200);
    await until('all are closed', () => sockets.every(({ destroyed }) => destroyed), 15_000);
    const node = await dialNode(gateway, { name: 'build-1', token }, async (_, respond) => {
      respond({ status: 404, headers: [], end: true });
    });
    await gateway.untilNode('build-1');
    node.close();
    await gateway.untilNode('build-1', 'offline');
    await until('nothing is open', async () => {
      const text = await (await gateway.ask('GET', '/metrics')).text();
      const values = [
        ...text.matchAll(
          /^(uwf_gateway_\w*(?:nodes|links|streams|followers)\w*(?:\{[^}]*\})?) (\S+)$/gm,
        ),
      ];
      expect(values.length).toBeGreaterThan(0);
      return values.every(([, , value]) => Number(value) === 0);
    });
  });

  it('that are refused to who showed a token are recorded', async () => {
    await until('the records are there', async () => {
      const { items } = await gateway.json<{
        items: { action: string; role: string; name: string; status: number }[];
      }>('GET', '/api/audit?limit=200');
      return (
        items.some((r) => r.action === 'link.refused' && r.name === 'vera' && r.status === 403) &&
        items.some((r) => r.action === 'link.refused' && r.role === 'nobody' && r.status === 401) &&
        items.some((r) => r.action === 'link.open' && r.name === 'build-1')
      );
    });
  });
});
