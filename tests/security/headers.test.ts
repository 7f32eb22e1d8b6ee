import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, type TestGateway } from '../support/gateway.js';
import { createSaid } from './no-secrets.js';
import { requestText, sendRaw } from './raw-request.js';
import { DATA, type DialledNode, dialNode, dialRawNode, END, RESPONSE } from './test-nodes.js';

type Head = { method: string; path: string; headers: [string, string][] };
type Answer = { status: number; headers: [string, string][] };

describe('headers between clients and nodes', () => {
  const said = createSaid();
  let gateway: TestGateway;
  let node: DialledNode;
  let viewer: string;
  /** What the node will answer. */
  let answer: Answer;
  let seen: Head[];

  beforeAll(async () => {
    seen = [];
    gateway = await createGateway();
    viewer = await gateway.token('viewer', 'vera@example.org');
    node = await dialNode(gateway, { name: 'echo' }, async (request, respond) => {
      const { method, path, headers } = request;
      // The gateway asks on its own, too.
      if (!path.startsWith('/api/x')) return void respond({ status: 404, headers: [], end: true });
      for await (const _ of request.body ?? []) {
        // The answer comes when all of it is there.
      }
      seen.push({ method, path, headers: [...headers] as [string, string][] });
      const writer = respond({ ...answer, end: false });
      await writer.write(Buffer.from('body'));
      writer.end();
    });
    await gateway.untilNode('echo');
  });
  afterAll(async () => {
    node.close();
    await gateway.service().stop();
    said.add('gateway', gateway.service().output.stdout + gateway.service().output.stderr);
    said.addFiles(gateway.dataDir, ['/key']);
    said.add('what the node saw', JSON.stringify(seen));
    said.expectNone([gateway.key, viewer]);
    await gateway.dispose();
  });

  const plain: Answer = { status: 200, headers: [['content-type', 'application/json']] };
  async function ask(line: string, headers: string[], body = ''): Promise<Head> {
    answer = plain;
    seen.length = 0;
    const text = requestText(line, gateway.port, headers, body);
    const { status, text: all } = await sendRaw(gateway.port, text);
    expect(`${line}: ${status} ${all}`).toMatch(/: 200 /);
    expect(seen).toHaveLength(1);
    return seen[0]!;
  }
  const bearer = () => `Authorization: Bearer ${viewer}`;
  const namesOf = ({ headers }: Head) => headers.map(([name]) => name);

  it('of a client do not say who asks: the gateway does', async () => {
    for (const own of [
      'x-uwf-principal: operator root',
      'X-UWF-Principal: operator root',
      'X-Uwf-PRINCIPAL:operator root',
      'x-uwf-anything: 1',
      'x_uwf_principal: operator root',
    ]) {
      const head = await ask('GET /api/nodes/echo/x HTTP/1.1', [bearer(), own, own]);
      const principals = head.headers.filter(([name]) => /x.uwf/.test(name.replace('x_uwf', '')));
      expect(principals).toEqual([['x-uwf-principal', 'viewer vera%40example.org']]);
    }
  });

  it('of a client that are for the gateway, or for one connection, end there', async () => {
    const head = await ask('GET /api/nodes/echo/x?y=%2e HTTP/1.1', [
      bearer(),
      `Cookie: uwf_${gateway.port}=secret; other=1`,
      'Connection: x-named, x-uwf-principal, accept',
      'X-Named: 1',
      'Keep-Alive: timeout=5',
      'Proxy-Authorization: Basic eDp5',
      'Proxy-Connection: keep-alive',
      'TE: trailers',
      'Trailer: x-later',
      'X-Forwarded-For: 10.0.0.1',
      'X-Forwarded-Host: evil.example',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Anything: 1',
      'Forwarded: for=10.0.0.1;host=evil.example',
      'X-Real-IP: 10.0.0.1',
      'Via: 1.1 evil',
      'Accept: text/plain',
      'If-None-Match: "x"',
      'X-Kept: yes',
    ]);
    expect(head.path).toBe('/api/x?y=%2e');
    expect(namesOf(head).sort()).toEqual(['if-none-match', 'x-kept', 'x-uwf-principal']);
  });

  it('of a client with a body are not taken for another one', async () => {
    const operator = `Authorization: Bearer ${gateway.key}`;
    const head = await ask(
      'POST /api/nodes/echo/x HTTP/1.1',
      [operator, 'Content-Type: application/json', 'Transfer-Encoding: chunked', 'Trailer: x-a'],
      '2\r\n{}\r\n0\r\nx-uwf-principal: operator root\r\nx-a: b\r\n\r\n',
    );
    expect(namesOf(head)).not.toContain('transfer-encoding');
    expect(head.headers).toContainEqual(['x-uwf-principal', 'operator operator']);
    expect(JSON.stringify(head)).not.toContain('root');
  });

  async function answered(headers: [string, string][], status = 200) {
    answer = { status, headers };
    const response = await gateway.ask('GET', '/api/nodes/echo/x', { token: viewer });
    return { response, text: await response.text() };
  }

  it('of a node do not reach what is the whole origin’s', async () => {
    const dropped = {
      'set-cookie': `uwf_${gateway.port}=planted; Path=/`,
      'set-cookie2': 'x=1',
      'clear-site-data': '"*"',
      'service-worker-allowed': '/',
      'access-control-allow-origin': '*',
      'access-control-allow-credentials': 'true',
      'strict-transport-security': 'max-age=1',
      'www-authenticate': 'Basic realm="x"',
      location: 'https://evil.example',
      refresh: '0; url=https://evil.example',
      link: '</x.css>; rel=stylesheet',
      'alt-svc': 'h2="evil.example:443"',
      'content-security-policy': "default-src 'unsafe-inline' *",
      'proxy-authenticate': 'Basic',
      'keep-alive': 'timeout=9999',
      upgrade: 'h2c',
      trailer: 'x',
      'x-named': '1',
    };
    const { response, text } = await answered([
      ['content-type', 'application/json'],
      ['connection', 'x-named'],
      ['x-content-type-options', 'sniff'],
      ['x-uwf-node', 'another'],
      ['x-kept', 'yes'],
      ...Object.entries(dropped),
      ['set-cookie', 'again=1'],
    ]);
    expect(text).toBe('body');
    for (const name of Object.keys(dropped))
      expect(`${name}: ${response.headers.get(name)}`).toBe(
        // The gateway's own.
        name === 'keep-alive' ? 'keep-alive: timeout=5' : `${name}: null`,
      );
    expect(response.headers.get('x-kept')).toBe('yes');
    expect(response.headers.get('x-uwf-node')).toBe('echo');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('of a node that would make a page of its text make one without power', async () => {
    for (const types of [
      ['text/html'],
      ['TEXT/HTML; charset=utf-8'],
      ['image/svg+xml'],
      ['application/xhtml+xml'],
      ['text/javascript'],
      ['application/json, text/html'],
      ['application/json', 'text/html'],
      ['text/html', 'application/json'],
      [''],
      [],
    ]) {
      const { response } = await answered(types.map((type) => ['content-type', type]));
      expect(`${types}: ${response.headers.get('content-security-policy')}`).toBe(
        `${types}: sandbox; default-src 'none'`,
      );
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('of a node that says its text is longer or shorter than it is end the answer', async () => {
    for (const length of ['3', '5', '-1', 'x', '4, 5', '4;']) {
      const { response } = await answered([['content-length', length]]);
      expect(`${length}: ${response.status}`).toBe(`${length}: 502`);
    }
    expect((await answered([['content-length', '4']])).response.status).toBe(200);
  });

  it('of a node that cannot be headers, or a status that is none, end its link and nothing else', async () => {
    const heads: Record<string, object> = {
      'a line end in a value': { headers: [['x-a', 'b\r\nset-cookie: x=1']] },
      'a line feed in a value': { headers: [['x-a', 'b\nc']] },
      'NUL in a value': { headers: [['x-a', 'b\0c']] },
      'what is wider than a byte': { headers: [['x-a', 'ł']] },
      'a line end in a name': { headers: [['x-a\r\nset-cookie', 'x=1']] },
      'a space in a name': { headers: [['x a', 'b']] },
      'an empty name': { headers: [['', 'b']] },
      'a name in capital letters': { headers: [['X-A', 'b']] },
      'a value that is none': { headers: [['x-a', 7]] },
      'no headers': { headers: undefined },
      'status 100': { status: 100 },
      'status 101': { status: 101 },
      'status 199': { status: 199 },
      'status 600': { status: 600 },
      'status 0': { status: 0 },
      'status 200.5': { status: 200.5 },
      'a status as text': { status: '200' },
      'a head of 100 KiB': { headers: [['x-a', 'b'.repeat(100 * 1024)]] },
    };
    await Promise.all(
      Object.entries(heads).map(async ([what, head], index) => {
        const name = `raw-${index}`;
        const raw = await dialRawNode(gateway, name, (stream, path, self) => {
          if (path !== '/api/x') return;
          self.send(RESPONSE, stream, { status: 200, headers: [], end: false, ...head });
          self.send(DATA, stream, Buffer.from('body'));
          self.send(END, stream, new Uint8Array(0));
        });
        const response = await gateway.ask('GET', `/api/nodes/${name}/x`, { token: viewer });
        const text = await response.text();
        said.add(what, text);
        expect(`${what}: ${response.status} ${text}`).toMatch(/: 50[24] \{/);
        expect(response.headers.get('set-cookie')).toBeNull();
        raw.socket.terminate();
      }),
    );
    expect((await answered([['content-type', 'text/plain']])).response.status).toBe(200);
  });
});
