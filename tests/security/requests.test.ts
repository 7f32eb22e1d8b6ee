import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, startNode, type TestGateway } from '../support/gateway.js';
import type { Service } from '../support/service.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { createSaid } from './no-secrets.js';
import { type RawAnswer, requestText, sendRaw } from './raw-request.js';
import { NO_HASH, NO_THREAD, NODE } from './route-places.js';

const MIB = 1024 * 1024;
const OVER_BYTES = 17 * MIB;
const DEPTH = 10_000;
const FOREIGN = 'https://evil.example';

describe('hostile requests to a gateway', () => {
  const said = createSaid();
  let machine: Machine;
  let gateway: TestGateway;
  let node: Service;

  beforeAll(async () => {
    machine = createMachine();
    gateway = await createGateway({ limits: { headersMs: 1_000, connectionsCheckMs: 200 } });
    node = startNode(machine, gateway, { name: NODE, allow: 'read,control,run,publish' });
    await gateway.untilNode(NODE);
  });
  afterAll(async () => {
    await Promise.all([node.stop(), gateway.service().stop()]);
    said.add('gateway', gateway.service().output.stdout + gateway.service().output.stderr);
    said.add('node', node.output.stdout + node.output.stderr);
    said.addFiles(gateway.dataDir, ['/key']);
    said.expectNone([gateway.key]);
    // What nobody expected is written with a stack.
    expect(gateway.service().output.stderr).not.toMatch(/\n {4}at |"tag":"K7R2M9DF"/);
    await gateway.dispose();
    await machine.dispose();
  });

  const authorized = () => `Authorization: Bearer ${gateway.key}`;
  const isFine = async () => {
    expect(gateway.service().exitCode()).toBeNull();
    expect((await gateway.ask('GET', '/api/nodes')).status).toBe(200);
    expect((await gateway.ask('GET', `/api/nodes/${NODE}/node`)).status).toBe(200);
  };
  /** One request as it is written here, and what came of it. */
  async function raw(line: string, headers: string[] = [], body = ''): Promise<RawAnswer> {
    const text = requestText(line, gateway.port, [authorized(), ...headers], body);
    const answer = await sendRaw(gateway.port, text);
    said.add(line.slice(0, 100), answer.text);
    return answer;
  }
  function codeOf({ status, head, body }: RawAnswer): string {
    expect(head.toLowerCase()).toContain('content-type: application/problem+json');
    const problem = JSON.parse(body) as { status: number; code: string };
    expect(problem.status).toBe(status);
    return `${status} ${problem.code}`;
  }

  describe('that name something else than they seem to', () => {
    const IDS: Record<string, string> = {
      'dots up': '../x',
      'encoded dots': '%2e%2e',
      'encoded dots and a slash': '%2e%2e%2fsession',
      'half encoded dots': '.%2E',
      'a dot': '.',
      'an encoded slash': 'a%2fb',
      'an encoded slash in upper case': 'a%2Fb',
      'an encoded backslash': '..%5c..%5cx',
      'a backslash': '..\\x',
      'an encoded NUL': 'a%00',
      'an encoded line end': 'a%0d%0ax',
      'a double encoding': '%252e%252e%252f',
      '300 characters': 'a'.repeat(300),
      '300 capital letters': 'A'.repeat(300),
      nothing: '',
      'an encoded letter of another script': '%D0%B0',
      'a wide dot': '%EF%BC%8E%EF%BC%8E',
      'bytes that are no text': '%ff%fe',
      'half an encoding': '%2',
      'a space': '%20',
      'a name with a capital letter': 'Build-1',
      'a query in it': '%3Fx=1',
      'a fragment in it': '%23',
      'what an object has': '__proto__',
      'a constructor': 'constructor',
    };
    const PLACES: Record<string, (id: string) => string> = {
      'a node': (id) => `/api/nodes/${id}`,
      'a node before more': (id) => `/api/nodes/${id}/threads`,
      'a thread': (id) => `/api/threads/${id}`,
      'a thread before more': (id) => `/api/threads/${id}/steps`,
      'a thread at a node': (id) => `/api/nodes/${NODE}/threads/${id}`,
      'a hash at a node': (id) => `/api/nodes/${NODE}/cas/${id}`,
      'a hash before more': (id) => `/api/nodes/${NODE}/steps/${id}/content`,
      'a workflow at a node': (id) => `/api/nodes/${NODE}/workflows/${id}`,
      'a workflow before more': (id) => `/api/nodes/${NODE}/workflows/${id}/history`,
    };
    it.each(Object.entries(PLACES))('in place of %s', async (_, place) => {
      await Promise.all(
        Object.entries(IDS).map(async ([what, id]) => {
          for (const method of ['GET', 'DELETE']) {
            const answer = await raw(`${method} ${place(id)} HTTP/1.1`);
            const code = codeOf(answer);
            expect(`${what}: ${method} ${code}`).toMatch(
              /: \w+ (400 invalid-(id|argument)|404 \S+)$/,
            );
          }
        }),
      );
    });

    it('in a body', async () => {
      for (const id of ['../x', '..%2fx', 'a/b', '', 'A', 'x'.repeat(300), '\0', 'é', `${NODE}\n`])
        for (const body of [
          { node: id, workflow: 'demo' },
          { workflow: id },
          { workflow: 'demo', agents: { [id]: 'x' } },
        ]) {
          const response = await gateway.ask('POST', '/api/threads', { body });
          const text = await response.text();
          said.add('POST /api/threads', text);
          expect(`${JSON.stringify(body)}: ${response.status}`).toBe(
            `${JSON.stringify(body)}: 400`,
          );
        }
    });

    it('in a query', async () => {
      for (const query of [
        'cursor=../x',
        'limit=-1',
        'limit=1e9',
        'limit=NaN',
        'status=__proto__',
        'workflow=..%2f',
        `q=${'x'.repeat(300)}`,
        'x=1',
        'limit=1&limit=2',
        'status[]=queued',
      ])
        for (const path of ['/api/threads', `/api/nodes/${NODE}/threads`]) {
          const response = await gateway.ask('GET', `${path}?${query}`);
          expect(`${path}?${query}: ${response.status}`).toBe(`${path}?${query}: 400`);
        }
    });
  });

  describe('that are not as HTTP has them', () => {
    const big = 'x'.repeat(20 * 1024);
    const get = (headers: string[], line = 'GET /api/nodes HTTP/1.1') =>
      [line, ...headers, '', ''].join('\r\n');
    const host = () => `Host: 127.0.0.1:${gateway.port}`;

    it('are refused and closed', async () => {
      const post = 'POST /api/threads HTTP/1.1';
      const cases: Record<string, string> = {
        'an absolute target': requestText('GET http://127.0.0.1/api/nodes HTTP/1.1', gateway.port),
        'an absolute target elsewhere': requestText(
          'GET http://evil.example/api/nodes HTTP/1.1',
          gateway.port,
        ),
        'a target without a slash': requestText('GET api/nodes HTTP/1.1', gateway.port),
        'OPTIONS *': requestText('OPTIONS * HTTP/1.1', gateway.port),
        'no host': get(['Connection: close', authorized()]),
        'two hosts': get([host(), 'Host: evil.example', 'Connection: close', authorized()]),
        'the same host twice': get([host(), host(), 'Connection: close', authorized()]),
        'two lengths': get(
          [host(), authorized(), 'Content-Length: 2', 'Content-Length: 3'],
          post,
        ).concat('{}'),
        'a length and chunks': get(
          [host(), authorized(), 'Content-Length: 5', 'Transfer-Encoding: chunked'],
          post,
        ).concat('0\r\n\r\n'),
        'chunks that are named twice': get(
          [host(), authorized(), 'Transfer-Encoding: chunked, identity'],
          post,
        ).concat('0\r\n\r\n'),
        'a length that is none': get([host(), authorized(), 'Content-Length: +2'], post).concat(
          '{}',
        ),
        'a negative length': get([host(), authorized(), 'Content-Length: -1'], post),
        'a chunk size that is none': get(
          [host(), authorized(), 'Content-Type: application/json', 'Transfer-Encoding: chunked'],
          post,
        ).concat('zz\r\n{}\r\n0\r\n\r\n'),
        'a folded header': get([host(), authorized(), 'X-A: b\r\n c']),
        'a space before the colon': get([host(), authorized(), 'X-A : b']),
        'a header of 20 KiB': get([host(), authorized(), `X-A: ${big}`]),
        'a target of 20 KiB': get([host(), authorized()], `GET /api/${big} HTTP/1.1`),
        'many headers': get([host(), authorized(), ...new Array(3_000).fill('a: bcdefg')]),
        'NUL in a header': get([host(), authorized(), 'X-A: b\0c']),
        'NUL in a target': get([host(), authorized()], 'GET /api/no\0des HTTP/1.1'),
        'line ends of one character': get([host(), authorized()]).replaceAll('\r\n', '\n'),
        'a bare line feed in a header': get([host(), authorized(), 'X-A: b\nX-C: d']),
        'a bare carriage return': get([host(), authorized(), 'X-A: b\rX-C: d']),
        'a method of its own': get([host(), authorized()], 'HACK /api/nodes HTTP/1.1'),
        'HTTP of another version': get([host(), authorized()], 'GET /api/nodes HTTP/3.7'),
        'HTTP/2 without asking': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        TLS: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
        garbage: '\0\xff\xfe{}[]\r\n\r\n',
      };
      const answers = await Promise.all(
        Object.entries(cases).map(async ([what, bytes]) => {
          const answer = await sendRaw(gateway.port, Buffer.from(bytes, 'latin1'));
          said.add(what, answer.text);
          // One answer: what stands behind it was not taken for another request.
          expect(`${what}: ${answer.text.split('HTTP/1.1 ').length - 1}`).toBe(`${what}: 1`);
          return `${what}: ${answer.status}`;
        }),
      );
      const usual = answers.filter((line) => !line.endsWith(': 400'));
      expect(usual).toEqual([
        'a header of 20 KiB: 431',
        'a target of 20 KiB: 431',
        'many headers: 431',
      ]);
      await isFine();
    });

    it('are closed without an answer, or told that there is no such thing', async () => {
      const connect = await raw(`CONNECT evil.example:443 HTTP/1.1`);
      expect(connect.status).toBe(0);
      expect(codeOf(await raw('TRACE /api/nodes HTTP/1.1'))).toBe('404 route-not-found');
      expect(codeOf(await raw('PUT /api/nodes HTTP/1.1'))).toMatch(/^404 /);
      expect(codeOf(await raw('OPTIONS /api/nodes HTTP/1.1'))).toMatch(/^404 /);
      await isFine();
    });

    it('of an old version are answered if they say where they go', async () => {
      expect(codeOf(await sendRaw(gateway.port, 'GET /healthz HTTP/1.0\r\n\r\n'))).toBe(
        '403 forbidden',
      );
      const known = await sendRaw(
        gateway.port,
        get([host(), authorized()], 'GET /api/nodes HTTP/1.0'),
      );
      expect(known.status).toBe(200);
    });

    it('that never get to their end are closed', async () => {
      const half = [
        'GET /api/nodes HT',
        get([host()]).slice(0, -2),
        // A body that does not come: of who has not said who it is, and of a log-in.
        get(
          [host(), 'Content-Length: 100', 'Content-Type: application/json'],
          'POST /api/threads HTTP/1.1',
        ),
        get(
          [host(), 'Content-Length: 100', 'Content-Type: application/json'],
          'POST /api/session HTTP/1.1',
        ),
      ];
      await Promise.all(half.map((text) => sendRaw(gateway.port, text)));
      await isFine();
    });

    it('that follow events without reading them do not take the connection', async () => {
      const two = `${get([host(), authorized()], 'HEAD /api/events HTTP/1.1')}${requestText('GET /api/session HTTP/1.1', gateway.port, [authorized()])}`;
      const answer = await sendRaw(gateway.port, two);
      expect(answer.text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    });
  });

  describe('from another place', () => {
    /** With a Host of its own, which fetch does not let through. */
    function ask(method: string, path: string, headers: Record<string, string>, body?: string) {
      return new Promise<number>((resolve, reject) => {
        const request = httpRequest(
          { port: gateway.port, host: '127.0.0.1', method, path, headers, agent: false },
          (response) => {
            response.resume();
            resolve(response.statusCode!);
          },
        );
        request.on('error', reject);
        request.end(body);
      });
    }
    const PATHS = [
      '/healthz',
      '/readyz',
      '/metrics',
      '/',
      '/connect',
      '/api/session',
      '/api/nodes',
      '/api/threads',
      '/api/openapi.json',
      `/api/nodes/${NODE}/threads`,
      `/api/threads/${NO_THREAD}`,
    ];

    it('are refused by their Host, whatever they ask for', async () => {
      const authorization = `Bearer ${gateway.key}`;
      for (const host of [
        'evil.example',
        `evil.example:${gateway.port}`,
        `127.0.0.1.evil.example:${gateway.port}`,
        'localhost.evil.example',
        `127.0.0.1:${gateway.port}@evil.example`,
        `[::1]:${gateway.port}.evil.example`,
        `127.0.0.1:${gateway.port}:1`,
        '0x7f.1',
        ' ',
      ])
        for (const path of PATHS)
          expect(`${host} ${path}: ${await ask('GET', path, { host, authorization })}`).toBe(
            `${host} ${path}: 403`,
          );
      for (const host of ['localhost', `LOCALHOST:${gateway.port}`, `[::1]:${gateway.port}`])
        expect(await ask('GET', '/healthz', { host })).toBe(200);
    });

    it('are refused by their Origin, whatever they ask for', async () => {
      for (const origin of [FOREIGN, 'null', 'file://', `http://127.0.0.1:${gateway.port + 1}`])
        for (const method of ['GET', 'POST', 'OPTIONS'])
          for (const path of PATHS) {
            const response = await gateway.ask(method, path, { headers: { origin } });
            await response.arrayBuffer();
            expect(`${origin} ${method} ${path}: ${response.status}`).toBe(
              `${origin} ${method} ${path}: 403`,
            );
            expect(response.headers.get('access-control-allow-origin')).toBeNull();
          }
    });
  });

  describe('with a body', () => {
    const TARGETS: Record<string, string> = {
      'for the gateway': '/api/threads',
      'for a node': `/api/nodes/${NODE}/threads`,
      'for the log-in': '/api/session',
      'for a store': `/api/nodes/${NODE}/cas`,
    };
    async function post(path: string, body: string | Uint8Array, type: string | null) {
      const response = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${gateway.key}`,
          ...(type === null ? {} : { 'content-type': type }),
        },
        body: Buffer.from(body),
      });
      const text = await response.text();
      said.add(`POST ${path}`, text);
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      return `${response.status} ${(JSON.parse(text) as { code: string }).code}`;
    }
    const bytes = (text: string) => Buffer.from(text, 'latin1');

    it.each(Object.entries(TARGETS))('that is not JSON, %s', async (_, path) => {
      const body = '{"workflow":"demo","token":"x","text":"x"}';
      for (const type of [
        'text/plain',
        'text/plain;application/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/jsonp',
        'application/json5',
        'text/json',
        '',
      ])
        expect(`${type}: ${await post(path, body, type)}`).toBe(
          `${type}: 415 unsupported-media-type`,
        );
      expect(await post(path, bytes(body), null)).toBe('415 unsupported-media-type');
    });

    it.each(Object.entries(TARGETS))('that is broken, %s', async (_, path) => {
      const deep = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
      const cases: Record<string, Uint8Array> = {
        nothing: bytes(''),
        'half of it': bytes('{"workflow":'),
        'two of it': bytes('{}{}'),
        'a number': bytes('7'),
        null: bytes('null'),
        'a list': bytes('[]'),
        deep: bytes(deep),
        'deep, and cut off': bytes('{"a":'.repeat(DEPTH / 2)),
        'deep where anything may be': bytes(`{"workflow":"demo","inputs":{"a":${deep}}}`),
        'bytes that are no text': bytes('{"workflow":"\xff\xfe"}'),
        'half a surrogate': bytes('{"workflow":"\\ud800"}'),
        'UTF-16': Buffer.from('{"workflow":"demo"}', 'utf16le'),
        'a prototype': bytes('{"__proto__":{"workflow":"demo","token":"x","text":"x"}}'),
        'a constructor': bytes('{"constructor":{"prototype":{"workflow":"demo"}}}'),
        'more than is known': bytes('{"workflow":"demo","token":"x","text":"x","admin":true}'),
      };
      for (const [what, body] of Object.entries(cases))
        expect(`${what}: ${await post(path, body, 'application/json')}`).toBe(
          `${what}: 400 invalid-argument`,
        );
    });

    it.each(Object.entries(TARGETS))('that is too large, %s', async (_, path) => {
      const text = `{"workflow":"demo","prompt":"${'x'.repeat(OVER_BYTES)}"}`;
      expect(await post(path, text, 'application/json')).toBe('413 too-large');
      // Also when it is not said how large.
      let sent = 0;
      const stream = new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += MIB;
          if (sent > OVER_BYTES) controller.close();
          else controller.enqueue(new Uint8Array(MIB).fill(0x20));
        },
      });
      const response = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
        body: stream,
        duplex: 'half',
      } as RequestInit).catch((error: Error) => error);
      // Closed while it was being sent, or told why.
      if (response instanceof Response) expect(response.status).toBe(413);
      await isFine();
    });

    it('that would make every object another one does nothing', async () => {
      const body =
        '{"workflow":"no-such-workflow","inputs":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}';
      expect(await post(`/api/nodes/${NODE}/threads`, body, 'application/json')).toBe(
        '404 workflow-not-found',
      );
      const labels = '{"workflow":"no-such-workflow","labels":{"__proto__":"x"}}';
      expect(await post('/api/threads', labels, 'application/json')).toMatch(/^4\d\d /);
      await isFine();
    });
  });

  it('that ask for parts of a text do not get more than it has', async () => {
    for (const range of ['bytes=-1', 'bytes=0-0,1-1,2-2', 'bytes=9999999999999999999-', 'x=y', '-'])
      expect(
        (
          await gateway.ask('GET', `/api/nodes/${NODE}/steps/${NO_HASH}/content`, {
            headers: { range },
          })
        ).status,
      ).toBe(404);
  });
});
