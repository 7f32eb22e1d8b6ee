import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, startNode, type TestGateway } from '../support/gateway.js';
import type { Service } from '../support/service.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { createSaid, filesBelow } from './no-secrets.js';

const FAILURES_MAX = 10;
const FOREIGN = 'https://evil.example';
type Audit = {
  items: { role: string; name: string; address: string; action: string; status: number | null }[];
};

describe('a session of a browser', () => {
  const said = createSaid();
  let machine: Machine;
  let node: Service;
  let gateway: TestGateway;
  let operator: string;
  let viewer: string;
  let ofNode: string;

  beforeAll(async () => {
    machine = createMachine();
    gateway = await createGateway({ limits: { failureWindowMs: 5_000 } });
    [operator, viewer, ofNode] = await Promise.all([
      gateway.token('operator', 'otto'),
      gateway.token('viewer', 'vera'),
      gateway.token('node', 'build-1'),
    ]);
    node = startNode(machine, gateway, { name: 'build-1', token: ofNode });
    await gateway.untilNode('build-1');
  });
  afterAll(async () => {
    await Promise.all([node.stop(), gateway.dispose()]);
    await machine.dispose();
  });

  const logIn = (token: string, headers = {}) =>
    gateway.ask('POST', '/api/session', { token: null, body: { token }, headers });
  async function cookieOf(token: string): Promise<string> {
    const response = await logIn(token);
    expect(response.status).toBe(200);
    return response.headers.get('set-cookie')!.split(';')[0]!;
  }
  const byCookie = (cookie: string, method: string, path: string, headers = {}, body?: unknown) =>
    gateway.ask(method, path, { token: null, headers: { cookie, ...headers }, body });
  const start = { workflow: 'no-such-workflow' };

  it('begins with a cookie that no script reads and no other site sends, also for the key', async () => {
    for (const token of [operator, viewer, gateway.key]) {
      const response = await logIn(token);
      expect(response.status).toBe(200);
      expect(response.headers.getSetCookie()).toHaveLength(1);
      const [pair, ...attributes] = response.headers.get('set-cookie')!.split('; ');
      expect(pair).toMatch(new RegExp(`^uwf_${gateway.port}=[\\w.-]{40,}$`));
      expect(attributes.filter((text) => !text.startsWith('Max-Age='))).toEqual([
        'Path=/',
        'HttpOnly',
        'SameSite=Strict',
      ]);
      expect(pair).not.toContain(token);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(JSON.stringify(await response.json())).not.toContain(token);
    }
  });

  it('is asked for by its own pages only', async () => {
    for (const origin of [FOREIGN, 'null', `http://127.0.0.1:${gateway.port + 1}`]) {
      const response = await logIn(operator, { origin });
      expect(`${origin}: ${response.status}`).toBe(`${origin}: 403`);
      expect(response.headers.get('set-cookie')).toBeNull();
    }
    expect((await logIn(operator, { origin: gateway.url })).status).toBe(200);
  });

  it('changes things only for a page of the gateway', async () => {
    const cookie = await cookieOf(operator);
    const node = '/api/nodes/build-1';
    const changes = [
      ['POST', '/api/threads', start, 404],
      ['POST', `${node}/threads`, start, 404],
      ['POST', `${node}/cas`, { text: 'x' }, 201],
      ['DELETE', node, undefined, 409],
      ['DELETE', `${node}/cas/0123456789ABC`, undefined, 404],
      ['POST', '/api/threads/01J0000000000000000000000A/kill', {}, 404],
    ] as const;
    for (const [method, path, body, good] of changes) {
      for (const headers of [
        {},
        { origin: FOREIGN },
        { origin: 'null' },
        { origin: '' },
        { origin: `${gateway.url}.evil.example` },
        { origin: `http://127.0.0.1:${gateway.port + 1}` },
        { origin: `${gateway.url}, ${FOREIGN}` },
        { origin: `${gateway.url}/` },
      ]) {
        const response = await byCookie(cookie, method, path, headers, body);
        said.add(`${method} ${path}`, await response.text());
        const asked = `${method} ${path} ${JSON.stringify(headers)}`;
        expect(`${asked}: ${response.status}`).toBe(`${asked}: 403`);
      }
      const response = await byCookie(cookie, method, path, { origin: gateway.url }, body);
      expect(`${method} ${path}: ${response.status}`).toBe(`${method} ${path}: ${good}`);
    }
  });

  it('may look without saying which page asks, but not for a page of another site', async () => {
    const cookie = await cookieOf(viewer);
    for (const path of ['/api/session', '/api/nodes', '/api/nodes/build-1/threads', '/metrics']) {
      expect((await byCookie(cookie, 'GET', path)).status).toBe(200);
      expect((await byCookie(cookie, 'GET', path, { origin: FOREIGN })).status).toBe(403);
    }
  });

  it('has the role of its token', async () => {
    const cookie = await cookieOf(viewer);
    const own = { origin: gateway.url };
    expect((await byCookie(cookie, 'POST', '/api/threads', own, start)).status).toBe(403);
    expect((await byCookie(cookie, 'GET', '/api/audit', own)).status).toBe(403);
    const session = (await (await byCookie(cookie, 'GET', '/api/session')).json()) as object;
    expect(session).toMatchObject({ role: 'viewer', name: 'vera' });
  });

  it('is not given to the token of a node', async () => {
    const response = await logIn(ofNode);
    expect(response.status).toBe(403);
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  it('is forgotten when it is logged out, whoever asks', async () => {
    const cookie = await cookieOf(operator);
    const response = await byCookie(cookie, 'DELETE', '/api/session', { origin: gateway.url });
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).toMatch(
      new RegExp(`^uwf_${gateway.port}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict$`),
    );
    const foreign = await byCookie(cookie, 'DELETE', '/api/session', { origin: FOREIGN });
    expect(foreign.status).toBe(403);
  });

  it('survives a restart of the gateway', async () => {
    const cookie = await cookieOf(operator);
    await gateway.service().kill();
    await gateway.restart();
    expect((await byCookie(cookie, 'GET', '/api/session')).status).toBe(200);
    await gateway.untilNode('build-1');
  });

  it('is guessed at ten times, then not for a while; who has a token does not notice', async () => {
    const fresh = await gateway.token('operator', 'frida');
    const statuses: number[] = [];
    for (let n = 0; n < FAILURES_MAX + 5; n += 1) {
      const response = await logIn(`a-guess-of-the-key-${n}`);
      said.add('a guess', await response.text());
      statuses.push(response.status);
      if (response.status === 429)
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(statuses.slice(0, FAILURES_MAX)).toEqual(new Array(FAILURES_MAX).fill(401));
    expect(statuses.slice(FAILURES_MAX)).toEqual(new Array(5).fill(429));
    // Also when the gateway sees it for the first time.
    expect((await gateway.ask('GET', '/api/nodes', { token: fresh })).status).toBe(200);
    expect((await gateway.ask('GET', '/api/nodes', { token: operator })).status).toBe(200);
    // Guesses are the same by whichever way they come.
    const bearer = await gateway.ask('GET', '/api/nodes', { token: 'a-guess-of-the-key' });
    expect(bearer.status).toBe(429);
    await until('it may be tried again', async () => (await logIn(gateway.key)).status === 200);
  });

  it('leaves a record of who changed what and who was not let in, for operators', async () => {
    await until('the records are written', async () => {
      const { items } = await gateway.json<Audit>('GET', '/api/audit?limit=200');
      return items.filter(({ action }) => action === 'login.refused unauthorized').length === 10;
    });
    const { items } = await gateway.json<Audit>('GET', '/api/audit?limit=200');
    const expected = [
      { role: 'operator', name: 'otto', action: 'login', status: 200 },
      { role: 'viewer', name: 'vera', action: 'login', status: 200 },
      { role: 'nobody', name: 'nobody', action: 'login.refused unauthorized', status: 401 },
      { role: 'operator', name: 'otto', action: 'POST /api/threads', status: 404 },
      { role: 'operator', name: 'otto', action: 'POST /api/nodes/build-1/cas', status: 201 },
      { role: 'operator', name: 'otto', action: 'DELETE /api/nodes/build-1', status: 409 },
    ];
    for (const record of expected)
      expect(items).toContainEqual(expect.objectContaining({ ...record, address: '127.0.0.1' }));
    expect(items.some(({ action }) => action.startsWith('link.'))).toBe(true);
    // What is not even looked at can be sent without end.
    expect(items.filter(({ status }) => status === 429)).toEqual([]);
    expect((await gateway.ask('GET', '/api/audit', { token: viewer })).status).toBe(403);
  });

  it('leaves its secrets nowhere, and its files to nobody else', async () => {
    await Promise.all([node.stop(), gateway.service().stop()]);
    const { stdout, stderr } = gateway.service().output;
    said.add('gateway', stdout + stderr);
    said.add('node', node.output.stdout + node.output.stderr);
    said.addFiles(gateway.dataDir, ['/key']);
    said.addFiles(machine.root);
    said.expectNone([gateway.key, operator, viewer, ofNode]);
    const open = [gateway.dataDir, ...filesBelow(gateway.dataDir)]
      .map((path) => ({ path, mode: statSync(path).mode & 0o077 }))
      .filter(({ mode }) => mode !== 0);
    expect(open).toEqual([]);
    expect(statSync(join(gateway.dataDir, 'key')).mode & 0o777).toBe(0o600);
    expect(filesBelow(gateway.dataDir).map((file) => file.split('/').at(-1))).toEqual(
      expect.arrayContaining(['audit.jsonl', 'nodes.json', 'key']),
    );
  });
});
