import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { routes } from '@uncaged/protocol/api';
import {
  acceptLink,
  createSocketTransport,
  createSystemClock,
  type GatewayMux,
  LINK_LIMITS,
  LINK_SUBPROTOCOL,
  type LinkHeaders,
} from '@uncaged/protocol/link';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { startNode } from '../support/gateway.js';
import type { Service } from '../support/service.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { createSaid } from './no-secrets.js';
import { CASES, filled } from './route-places.js';

const TOKEN = 'a-token-that-only-its-gateway-may-see';

/** A gateway that says WELCOME to everybody and then asks what it likes. */
async function openFakeGateway() {
  const http = createServer();
  const upgrades = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    handleProtocols: () => LINK_SUBPROTOCOL,
  });
  const muxes: GatewayMux[] = [];
  const dialled: (string | undefined)[] = [];
  http.on('upgrade', (request, raw, head) => {
    dialled.push(`${request.url} ${request.headers.authorization}`);
    upgrades.handleUpgrade(request, raw, head, (socket) => {
      acceptLink({
        transport: createSocketTransport(socket, raw),
        clock: createSystemClock(),
        limits: LINK_LIMITS,
        gateway: 'fake',
        admit: async () => ({ generation: 1 }),
        onClose: () => undefined,
        onGoaway: () => undefined,
      }).then(
        ({ mux }) => muxes.push(mux),
        () => undefined, // it has gone; the next one is waited for
      );
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    dialled,
    mux: (n: number) => until(`node ${n} has come`, () => muxes[n]),
    async close() {
      for (const mux of muxes) mux.terminate('the test is over');
      http.close();
      http.closeAllConnections();
      await once(http, 'close');
    },
  };
}

describe('a node with a hostile gateway', () => {
  const said = createSaid();
  let machine: Machine;
  let gateway: Awaited<ReturnType<typeof openFakeGateway>>;
  let node: Service;
  let mux: GatewayMux;

  beforeAll(async () => {
    machine = createMachine();
    gateway = await openFakeGateway();
    const where = { url: gateway.url, key: TOKEN };
    node = startNode(machine, where, { name: 'reading', allow: 'read' });
    mux = await gateway.mux(0);
  });
  afterAll(async () => {
    await node.stop();
    await gateway.close();
    said.add('uwf connect', node.output.stdout + node.output.stderr);
    said.addFiles(machine.root);
    said.expectNone([TOKEN]);
    expect(node.output.stderr).not.toMatch(/\n {4}at /);
    await machine.dispose();
  });

  async function ask(
    method: 'GET' | 'HEAD' | 'POST' | 'DELETE' | 'PUT' | 'OPTIONS',
    path: string,
    headers: LinkHeaders,
    json?: unknown,
    from = mux,
  ): Promise<{ status: number; code: string | null; text: string }> {
    const leave = new AbortController();
    const {
      status,
      headers: answered,
      body,
    } = await from.request({
      method,
      path,
      headers: [
        ...headers,
        ...(json === undefined ? [] : [['content-type', 'application/json'] as [string, string]]),
      ],
      body: json === undefined ? null : new Response(JSON.stringify(json)).body,
      signal: leave.signal,
    });
    const isStream = answered.some(([, value]) => value.startsWith('text/event-stream'));
    let text = '';
    if (isStream) leave.abort();
    else for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
    said.add(`${method} ${path}`, text);
    const isProblem = answered.some(([, value]) => value === 'application/problem+json');
    const code = isProblem && text !== '' ? (JSON.parse(text) as { code: string }).code : null;
    return { status, code, text };
  }
  const as = (principal: string): LinkHeaders => [['x-uwf-principal', principal]];
  const places = Object.entries(routes).map(([name, { method, path, allow }]) => ({
    name,
    method,
    allow,
    path: filled(path),
    json: method === 'POST' ? (CASES[name]?.body ?? {}) : undefined,
  }));

  it('does what it allows, and that only, whoever is said to ask', async () => {
    for (const { name, method, path, json, allow } of places) {
      const { status, code } = await ask(method, path, as('operator root'), json);
      if (allow === 'read') expect(`${name}: ${status}`).toMatch(/: (200|404)$/);
      else expect(`${name}: ${status} ${code}`).toBe(`${name}: 403 forbidden`);
    }
  });

  it('answers nobody of whom it is not said who it is, in a way that it knows', async () => {
    const principals: LinkHeaders[] = [
      [],
      as(''),
      as('node build-1'),
      as('root root'),
      as('operator'),
      as('operator '),
      as('operator a b'),
      as('Operator root'),
      as('operator %'),
      as('operator %ff'),
      as(`operator ${'x'.repeat(400)}`),
      as('operator root, viewer vera'),
      [...as('operator root'), ...as('viewer vera')],
      [['authorization', `Bearer ${TOKEN}`]],
      [['x-uwf-principal2', 'operator root']],
    ];
    for (const headers of principals)
      for (const { name, method, path, json } of places) {
        const { status } = await ask(method, path, headers, json);
        expect(`${name} ${JSON.stringify(headers)}: ${status}`).toBe(
          `${name} ${JSON.stringify(headers)}: 401`,
        );
      }
  });

  it('lets a viewer change nothing, also where it allows everything', async () => {
    const where = { url: gateway.url, key: TOKEN };
    const elsewhere = createMachine();
    const open = startNode(elsewhere, where, {
      name: 'open',
      allow: 'read,control,run,publish',
    });
    try {
      const other = await gateway.mux(1);
      for (const { name, method, path, json, allow } of places) {
        const { status } = await ask(method, path, as('viewer vera'), json, other);
        if (allow === 'read') expect(`${name}: ${status}`).toMatch(/: (200|404)$/);
        else expect(`${name}: ${status}`).toBe(`${name}: 403`);
      }
    } finally {
      await open.stop();
      said.add('uwf connect', open.output.stdout + open.output.stderr);
      await elsewhere.dispose();
    }
  });

  it('is not led elsewhere by what it is asked', async () => {
    for (const path of [
      '/api/../api/node',
      '/api/%2e%2e/node',
      '/api/threads/..%2f..%2fnode',
      '/api/threads/%00',
      '/api/threads/a%5cb',
      '//evil.example/api/node',
      '/@evil.example/api/node',
      '/:80/api/node',
      '/api/cas/..%2f..%2f..%2fetc%2fpasswd',
      '/etc/passwd',
      `/${'x'.repeat(10_000)}`,
    ]) {
      const { status } = await ask('GET', path, as('operator root'));
      expect(`${path.slice(0, 50)}: ${status}`).toMatch(/: 40[04]$/);
    }
    for (const method of ['PUT', 'OPTIONS', 'POST'] as const) {
      const { status } = await ask(method, '/api/node', as('operator root'));
      expect(`${method}: ${status}`).toBe(`${method}: 404`);
    }
    expect((await ask('GET', '/api/node', as('viewer vera'))).status).toBe(200);
  });

  it('shows its token to its gateway in a header, and in no address', () => {
    for (const request of gateway.dialled) expect(request).toBe(`/connect Bearer ${TOKEN}`);
  });

  it('does not take its token over a way that others can read, unless it is told to', async () => {
    for (const url of [
      'http://192.0.2.1:4800',
      'http://gateway.example',
      'http://127.0.0.1.evil.example',
      'http://localhost.evil.example',
      'http://0.0.0.0:4800',
      'ws://127.0.0.1:4800',
      'ftp://127.0.0.1',
      `http://user:${TOKEN}@127.0.0.1:4800`,
      `http://127.0.0.1:4800/?token=${TOKEN}`,
    ]) {
      const result = await machine.uwf(['connect', '--gateway', url, '--name', 'build-1'], {
        env: { UWF_NODE_TOKEN: TOKEN },
      });
      said.add(url.replaceAll(TOKEN, ''), result.stdout + result.stderr);
      expect(`${url}: ${result.code}`).toBe(`${url}: 2`);
      expect(result.stdout + result.stderr).not.toContain(TOKEN);
    }
  });
});
