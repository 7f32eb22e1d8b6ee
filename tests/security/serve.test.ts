import { readFileSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService, untilSaid } from '../support/service.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { createSaid } from './no-secrets.js';
import { requestText, sendRaw } from './raw-request.js';
import { CASES, NODE, type Place, SERVE_PLACES } from './route-places.js';
import { forge } from './tokens.js';

const UWF = fileURLToPath(new URL('../../agent-node/bin/uwf.js', import.meta.url));
const FOREIGN = 'https://evil.example';
const FAILURES_MAX = 10;
const OVER_BYTES = 17 * 1024 * 1024;
/** Kept by gateways only. */
const NOT_HERE = 'listAudit';

/** Their work ends with their answer, or once nobody reads it: a moment later. */
const WHOLE = new Set(['collectGarbage', 'verifyCas']);

describe('uwf serve', () => {
  const said = createSaid();
  let machine: Machine;
  let service: Service;
  let url: string;
  let port: number;
  let token: string;
  let cookie: string;
  const guarded = SERVE_PLACES.filter(({ allow }) => allow !== null);

  beforeAll(async () => {
    machine = createMachine();
    const args = ['serve', '--port', '0', '--name', NODE];
    service = startService(UWF, args, { cwd: machine.cwd, env: machine.env });
    [, url] = (await untilSaid(service, 'stdout', /^(http:\/\/\S+)\n/)) as unknown as [
      string,
      string,
    ];
    await untilSaid(service, 'stdout', /token file/);
    port = Number(new URL(url).port);
    token = readFileSync(join(machine.root, 'serve.token'), 'utf8').trim();
    const login = await ask('POST', '/api/session', {}, { token });
    cookie = login.headers.get('set-cookie')!.split(';')[0]!;
  });
  afterAll(async () => {
    await service.stop();
    said.add('uwf serve', service.output.stdout + service.output.stderr);
    said.addFiles(machine.root, ['/serve.token']);
    said.expectNone([token, cookie.split('=')[1]!]);
    expect(service.output.stderr).not.toMatch(/\n {4}at /);
    await machine.dispose();
  });

  function ask(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: unknown,
  ): Promise<Response> {
    return fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

  async function walk(places: readonly Place[], headers: Record<string, string>, query = '') {
    const answers: string[] = [];
    for (const { method, path, name, route } of places) {
      const body = method === 'POST' ? (CASES[route]?.body ?? {}) : undefined;
      const response = await ask(method, path + query, headers, body);
      const isProblem = response.headers.get('content-type') === 'application/problem+json';
      if (isProblem) said.add(`${method} ${path}`, await response.text());
      // A store is collected or verified, not both at once.
      else if (WHOLE.has(route)) await response.text();
      else await response.body?.cancel();
      answers.push(`${name}: ${response.status}`);
    }
    return answers;
  }
  const all = (places: readonly Place[], status: number) =>
    places.map(({ name }) => `${name}: ${status}`);

  it('keeps its token to its user, and gives a cookie that no script and no other site has', async () => {
    expect(statSync(join(machine.root, 'serve.token')).mode & 0o777).toBe(0o600);
    const login = await ask('POST', '/api/session', {}, { token });
    expect(login.headers.get('set-cookie')).toMatch(
      new RegExp(`^uwf_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    expect(login.headers.get('set-cookie')).not.toContain(token);
  });

  it('asks on every route who it is', async () => {
    expect(await walk(guarded, {})).toEqual(all(guarded, 401));
    expect(await walk(guarded, {}, `?token=${token}&key=${token}`)).toEqual(all(guarded, 401));
    const [, value] = cookie.split('=');
    expect(await walk(guarded, { cookie: `uwf_${port}=${token}` })).toEqual(all(guarded, 401));
    expect(await walk(guarded, { cookie: `uwf_${port + 1}=${value}` })).toEqual(all(guarded, 401));
    expect(await walk(guarded, { 'x-uwf-principal': 'operator root' })).toEqual(all(guarded, 401));
  });

  it('answers on every route who has the token, or its cookie', async () => {
    const places = SERVE_PLACES.filter(({ route }) => route !== NOT_HERE && route !== 'logIn');
    const expected = places.map(({ name, route }) => `${name}: ${CASES[route]!.status}`);
    expect(await walk(places, bearer(token))).toEqual(expected);
    const own = { cookie, origin: url };
    expect(await walk(places, own)).toEqual(expected);
  });

  it('changes nothing by cookie for a page that is not its own', async () => {
    const changing = guarded.filter(({ method }) => method !== 'GET');
    for (const headers of [
      { cookie },
      { cookie, origin: FOREIGN },
      { cookie, origin: 'null' },
      { cookie, origin: `http://127.0.0.1:${port + 1}` },
    ] as Record<string, string>[])
      expect(await walk(changing, headers)).toEqual(all(changing, 403));
    const reading = guarded.filter(({ method }) => method === 'GET');
    expect(await walk(reading, { cookie, origin: FOREIGN })).toEqual(all(reading, 403));
  });

  it('is only reached by its own names', async () => {
    for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`])
      for (const path of ['/healthz', '/', '/api/session', '/api/threads', '/api/openapi.json']) {
        const status = await new Promise((resolve, reject) => {
          const headers = { host, ...bearer(token) };
          httpRequest({ port, host: '127.0.0.1', path, headers, agent: false }, (response) => {
            response.resume();
            resolve(response.statusCode);
          })
            .on('error', reject)
            .end();
        });
        expect(`${host} ${path}: ${status}`).toBe(`${host} ${path}: 403`);
      }
  });

  it('takes JSON only, not too much of it, and nothing broken', async () => {
    const post = async (type: string, body: string | Uint8Array, path = '/api/threads') => {
      const headers = { ...bearer(token), ...(type === '' ? {} : { 'content-type': type }) };
      const init = { method: 'POST', headers, body: Buffer.from(body) };
      const response = await fetch(`${url}${path}`, init);
      said.add(`POST ${path}`, await response.text());
      return response.status;
    };
    const good = '{"workflow":"no-such-workflow"}';
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/json', ''])
      expect(`${type}: ${await post(type, good)}`).toBe(`${type}: 415`);
    const json = 'application/json';
    const broken = ['', '{', '[]', 'null', '['.repeat(10_000), `{"__proto__":${good}}`];
    for (const body of [...broken, Buffer.from('{"workflow":"\xff"}', 'latin1')])
      expect(`${body.slice(0, 20)}: ${await post(json, body)}`).toBe(`${body.slice(0, 20)}: 400`);
    expect(await post(json, JSON.stringify({ prompt: 'x'.repeat(OVER_BYTES) }))).toBe(413);
    const login = JSON.stringify({ token: 'x'.repeat(64 * 1024) });
    expect(await post(json, login, '/api/session')).toBe(413);
  });

  it('refuses what is not as HTTP has it, and paths that mean another place', async () => {
    const authorization = `Authorization: Bearer ${token}`;
    for (const id of ['../x', '%2e%2e', 'a%2fb', 'a%5cb', 'a%00', '..%5c', 'a'.repeat(300), '%ff'])
      for (const path of [
        `/api/threads/${id}`,
        `/api/nodes/${id}/threads`,
        `/api/cas/${id}/refs`,
        `/api/workflows/${id}`,
        `/api/nodes/${NODE}/steps/${id}/content`,
      ]) {
        const text = requestText(`GET ${path} HTTP/1.1`, port, [authorization]);
        const { status, head } = await sendRaw(port, text);
        expect(`${path.slice(0, 60)}: ${status}`).toMatch(/: 40[04]$/);
        expect(head.toLowerCase()).toContain('application/problem+json');
      }
    const host = `Host: 127.0.0.1:${port}`;
    const refused = [
      `GET http://127.0.0.1:${port}/api/node HTTP/1.1\r\n${host}\r\n${authorization}`,
      `GET http://evil.example/api/node HTTP/1.1\r\n${host}\r\n${authorization}`,
      `OPTIONS * HTTP/1.1\r\n${host}\r\n${authorization}`,
      `GET /api/node HTTP/1.1\r\n${authorization}`,
      `GET /api/node HTTP/1.1\r\n${host}\r\n${authorization}\r\nX: a\0b`,
      `POST /api/cas HTTP/1.1\r\n${host}\r\nContent-Length: 1\r\nContent-Length: 2`,
      `POST /api/cas HTTP/1.1\r\n${host}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked`,
    ];
    for (const text of refused) {
      const answer = await sendRaw(port, `${text}\r\nConnection: close\r\n\r\n`);
      expect(`${text.split('\r\n')[0]}: ${answer.status}`).toMatch(/: 40[034]$/);
    }
    expect(service.exitCode()).toBeNull();
    expect((await ask('GET', '/api/node', bearer(token))).status).toBe(200);
  });

  it('does not let the head of a stream take the connection', async () => {
    for (const path of ['/api/events', `/api/nodes/${NODE}/events`]) {
      const head = `HEAD ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      const next = requestText('GET /api/session HTTP/1.1', port, [
        `Authorization: Bearer ${token}`,
      ]);
      const { text } = await sendRaw(port, head + next);
      expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    }
  });

  it('is guessed at ten times, then not for a while', async () => {
    const statuses: number[] = [];
    const guesses = [forge(token), forge('', { header: { alg: 'none' }, signature: '' }), cookie];
    for (let n = 0; n < FAILURES_MAX + 3; n += 1) {
      const guess = guesses[n] ?? `a-guess-of-the-token-${n}`;
      const response =
        n % 2 === 0
          ? await ask('GET', '/api/node', bearer(guess))
          : await ask('POST', '/api/session', {}, { token: guess });
      said.add('a guess', await response.text());
      statuses.push(response.status);
      if (response.status === 429)
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(statuses).toEqual([
      ...new Array<number>(FAILURES_MAX).fill(401),
      ...new Array<number>(3).fill(429),
    ]);
    // Who is logged in does not notice.
    expect((await ask('GET', '/api/node', { cookie })).status).toBe(200);
  });
});
