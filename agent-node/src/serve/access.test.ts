import { once } from 'node:events';
import { connect } from 'node:net';
import { gatewayRoutes, routes } from '@uncaged/protocol/api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFailures } from './failures.js';
import { serveLimits } from './limits.js';
import { codeOf, openTestServer, type TestServer, TOKEN } from './test-serve.js';

async function logIn({ ask }: TestServer): Promise<string> {
  const answer = await ask('POST', '/api/session', { token: null, body: { token: TOKEN } });
  expect(answer.status).toBe(200);
  const [cookie] = answer.headers['set-cookie'] ?? [];
  return cookie!.slice(0, cookie!.indexOf(';'));
}

const pathOf = (path: string) =>
  path
    .replace(':node', 'me')
    .replace(':id', '01M8Q8W04CP3R7CR761FBXBJCV')
    .replace(':hash', 'XVDKS8NY7G658')
    .replace(':name', 'demo');

describe('who may ask', () => {
  it('every route needs the token, but logging in and out, and the health of the server', async () => {
    const { ask } = await openTestServer();
    const all = [...Object.values(routes), ...Object.values(gatewayRoutes)];
    for (const { method, path, allow } of all) {
      if (allow === null) continue;
      for (const under of [pathOf(path), pathOf(path).replace('/api/', '/api/nodes/me/')]) {
        const answer = await ask(method, under, { token: null });
        expect(`${method} ${under} ${answer.status}`).toBe(`${method} ${under} 401`);
        expect(answer.headers['www-authenticate']).toBe('Bearer');
      }
    }
    expect(codeOf(await ask('GET', '/api/nothing', { token: null }))).toBe('unauthorized');
    expect(codeOf(await ask('GET', '/api/openapi.json', { token: null }))).toBe('unauthorized');
    expect(await ask('GET', '/healthz', { token: null })).toMatchObject({
      status: 200,
      text: 'ok',
    });
  });

  it.each([`bearer ${TOKEN}`, `Bearer ${TOKEN}`])(
    'the right token passes as "%s"',
    async (authorization) => {
      const { ask } = await openTestServer();
      expect((await ask('GET', '/api/node', { headers: { authorization } })).status).toBe(200);
    },
  );

  it.each([
    'Bearer',
    'Bearer ',
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Basic ${Buffer.from(`me:${TOKEN}`).toString('base64')}`,
    TOKEN,
  ])('"%s" does not', async (authorization) => {
    const { ask } = await openTestServer();
    const answer = await ask('GET', '/api/node', { headers: { authorization } });
    expect(codeOf(answer)).toBe('unauthorized');
    expect(answer.text).not.toContain(TOKEN);
  });

  it('a principal that a client claims to be counts for nothing', async () => {
    const { ask } = await openTestServer();
    const headers = { 'x-uwf-principal': 'operator ann' };
    expect(codeOf(await ask('GET', '/api/node', { token: null, headers }))).toBe('unauthorized');
  });
});

describe('a browser', () => {
  it('logs in with the token, asks with a cookie, and logs out', async () => {
    const test = await openTestServer();
    const { ask, port, log } = test;
    const answer = await ask('POST', '/api/session', { token: null, body: { token: TOKEN } });
    const session = gatewayRoutes.logIn.response.schema.parse(JSON.parse(answer.text));
    expect(session).toEqual({ role: 'operator', name: 'operator', expiresAt: null });
    const [setCookie] = answer.headers['set-cookie'] ?? [];
    expect(setCookie).toMatch(
      new RegExp(`^uwf_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    expect(setCookie).not.toContain(TOKEN);
    const cookie = `other=1; ${await logIn(test)}`;
    const who = await ask('GET', '/api/session', { token: null, headers: { cookie } });
    expect(JSON.parse(who.text)).toEqual(session);
    const out = await ask('DELETE', '/api/session', { token: null, headers: { cookie } });
    expect(gatewayRoutes.logOut.response.schema.parse(JSON.parse(out.text))).toEqual({
      loggedOut: true,
    });
    expect(out.headers['set-cookie']).toEqual([
      `uwf_${port}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`,
    ]);
    expect(log.join()).not.toContain(TOKEN);
  });

  it('cannot use the cookie of another port, nor the token as one', async () => {
    const test = await openTestServer();
    const cookie = await logIn(test);
    const value = cookie.slice(cookie.indexOf('=') + 1);
    for (const wrong of [
      `uwf_1=${value}`,
      `uwf_${test.port}=${TOKEN}`,
      `uwf_${test.port}=${value}x`,
      `uwf_${test.port}=`,
    ]) {
      const answer = await test.ask('GET', '/api/node', {
        token: null,
        headers: { cookie: wrong },
      });
      expect(`${wrong} ${codeOf(answer)}`).toBe(`${wrong} unauthorized`);
    }
  });

  it('changes something with a cookie only from a page of this server', async () => {
    const test = await openTestServer();
    const { ask, port } = test;
    const cookie = await logIn(test);
    const body = { text: 'hello' };
    const post = (headers: Record<string, string>) =>
      ask('POST', '/api/cas', { token: null, headers: { cookie, ...headers }, body });
    expect(codeOf(await post({}))).toBe('forbidden');
    expect(codeOf(await post({ origin: 'http://evil.example' }))).toBe('forbidden');
    expect(codeOf(await post({ origin: 'null' }))).toBe('forbidden');
    expect((await post({ origin: `http://127.0.0.1:${port}` })).status).toBe(201);
    expect((await ask('GET', '/api/node', { token: null, headers: { cookie } })).status).toBe(200);
    const deleted = await ask('DELETE', '/api/threads/01M8Q8W04CP3R7CR761FBXBJCV', {
      token: null,
      headers: { cookie },
    });
    expect(codeOf(deleted)).toBe('forbidden');
  });

  it('sends nothing but JSON, so that no form of another page can log in or change anything', async () => {
    const { ask } = await openTestServer();
    const headers = { 'content-type': 'text/plain' };
    const body = JSON.stringify({ token: TOKEN });
    for (const path of ['/api/session', '/api/threads', '/api/cas', '/api/nodes/me/threads'])
      expect(`${path} ${codeOf(await ask('POST', path, { headers, body }))}`).toBe(
        `${path} unsupported-media-type`,
      );
  });
});

describe('where a request comes from', () => {
  it('is checked first, for every path', async () => {
    const { ask, port } = await openTestServer();
    for (const path of ['/', '/healthz', '/api/node', '/api/session', '/api/nodes/me/node']) {
      for (const headers of [
        { host: 'evil.example' },
        { host: `evil.example:${port}` },
        { origin: 'http://evil.example' },
        { origin: `http://127.0.0.1:${port + 1}` },
      ] as Record<string, string>[])
        expect(codeOf(await ask('GET', path, { headers }))).toBe('forbidden');
    }
    for (const host of [`localhost:${port}`, `[::1]:${port}`, `127.0.0.1:${port}`])
      expect((await ask('GET', '/api/node', { headers: { host } })).status).toBe(200);
  });

  it('is never told by CORS headers, and every answer carries the headers that protect it', async () => {
    const { ask, port } = await openTestServer();
    const origin = `http://127.0.0.1:${port}`;
    for (const answer of [
      await ask('GET', '/api/node', { headers: { origin } }),
      await ask('GET', '/healthz', { headers: { origin } }),
      await ask('GET', '/nothing', { headers: { origin } }),
      await ask('GET', '/api/node', { token: null, headers: { origin } }),
      await ask('OPTIONS', '/api/threads', {
        headers: { origin, 'access-control-request-method': 'POST' },
      }),
      await ask('GET', '/api/node', { headers: { host: 'evil.example' } }),
    ]) {
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
      const cors = Object.keys(answer.headers).filter((name) => name.startsWith('access-control'));
      expect(cors).toEqual([]);
    }
  });
});

describe('wrong tokens', () => {
  it('make an address wait, by whichever way they come, while a cookie still passes', async () => {
    const test = await openTestServer({ limits: { failuresMax: 4 } });
    const { ask } = test;
    const cookie = await logIn(test);
    const wrong = { token: 'not-this-one-but-another' };
    for (let count = 0; count < 2; count++) {
      const answer = await ask('POST', '/api/session', { token: null, body: wrong });
      expect(codeOf(answer)).toBe('unauthorized');
      expect(codeOf(await ask('GET', '/api/node', wrong))).toBe('unauthorized');
    }
    for (const answer of [
      await ask('GET', '/api/node', wrong),
      await ask('GET', '/api/node'),
      await ask('POST', '/api/session', { token: null, body: { token: TOKEN } }),
    ]) {
      expect(answer.status).toBe(429);
      expect(codeOf(answer)).toBe('rate-limited');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(50);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect((await ask('GET', '/api/node', { token: null, headers: { cookie } })).status).toBe(200);
    // Nothing shown is nothing tried.
    expect(codeOf(await ask('GET', '/api/node', { token: null }))).toBe('unauthorized');
  });

  it('are forgotten after a while, and of many addresses the oldest first', () => {
    let now = 1_000;
    const failures = createFailures(
      { ...serveLimits, failuresMax: 2, failureWindowMs: 500, addressesMax: 2 },
      () => now,
    );
    const isLimited = (address: string) => {
      try {
        failures.check(address);
        return false;
      } catch (error) {
        expect(error).toMatchObject({ code: 'rate-limited', details: { retryAfterS: 1 } });
        return true;
      }
    };
    failures.add('a');
    expect(isLimited('a')).toBe(false);
    failures.add('a');
    expect(isLimited('a')).toBe(true);
    expect(isLimited('b')).toBe(false);
    now += 500;
    expect(isLimited('a')).toBe(false);
    for (const address of ['a', 'a', 'b', 'b', 'c', 'c']) failures.add(address);
    expect(['a', 'b', 'c'].map(isLimited)).toEqual([false, true, true]);
  });
});

describe('a log-in', () => {
  it('is refused when it is larger than any token', async () => {
    const { ask } = await openTestServer();
    const body = { token: 'x'.repeat(40_000) };
    expect(codeOf(await ask('POST', '/api/session', { token: null, body }))).toBe('too-large');
    for (const wrong of ['', '{}', '[]', '{"token":1}', '{"token":""}', '{"token":"a","more":1}'])
      expect(codeOf(await ask('POST', '/api/session', { token: null, body: wrong }))).toBe(
        'invalid-argument',
      );
  });
});

describe('a client that dawdles', () => {
  it('with its headers is cut off', async () => {
    const { port, ask } = await openTestServer({
      limits: { headersTimeoutMs: 100, connectionsCheckMs: 20 },
    });
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const closed = once(socket, 'close');
    socket.on('data', () => undefined);
    socket.write('GET /api/node HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    await closed;
    expect((await ask('GET', '/api/node')).status).toBe(200);
  });
});
