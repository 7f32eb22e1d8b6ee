import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addThread, readEvents } from '../api/test-api.js';
import { addressText, hostNames, isLoopback, localUrl } from './address.js';
import { codeOf, openTestServer, TOKEN } from './test-serve.js';

/** Far above what closing takes on a machine that does other things too. */
const DRAIN_MS = 60_000;

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('the token of a server', () => {
  it('is made once, for nobody else to read, and is another one on another root', async () => {
    const first = await openTestServer({ env: {} });
    const { root } = first;
    const file = join(root, 'serve.token');
    expect(first.server.tokenFile).toBe(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const token = readFileSync(file, 'utf8').trim();
    expect(token).toMatch(/^[\w-]{43}$/);
    const second = await openTestServer({ root, env: {} });
    expect(readFileSync(file, 'utf8').trim()).toBe(token);
    for (const { ask } of [first, second])
      expect((await ask('GET', '/api/node', bearer(token))).status).toBe(200);
    const other = await openTestServer({ env: {} });
    expect(codeOf(await other.ask('GET', '/api/node', bearer(token)))).toBe('unauthorized');
  });

  it('is the same for all that start at once', async () => {
    const { root } = await openTestServer();
    const all = await Promise.all(
      Array.from({ length: 5 }, () => openTestServer({ root, env: {} })),
    );
    const token = readFileSync(join(root, 'serve.token'), 'utf8').trim();
    for (const { ask } of all)
      expect((await ask('GET', '/api/node', bearer(token))).status).toBe(200);
  });

  it.each([
    ['others can read it', 'a-token-that-is-long-enough', 0o644, /chmod 600/],
    ['it is too short', 'short', 0o600, /16 to 4096/],
    ['it is empty', '', 0o600, /16 to 4096/],
    ['it has spaces', 'a token with spaces in it', 0o600, /without spaces/],
  ])('is refused when %s, and nothing is left listening', async (_, text, mode, message) => {
    const { root } = await openTestServer();
    const file = join(root, 'serve.token');
    writeFileSync(file, text);
    chmodSync(file, mode);
    const port = await freePort();
    const open = () => openTestServer({ root, env: {}, port });
    await expect(open()).rejects.toThrow(message);
    await expect(open()).rejects.not.toThrow(text === '' ? /$^/ : text);
    await expect(open()).rejects.toMatchObject({ code: 'invalid-config' });
  });
});

it('says so when there can be no token file', async () => {
  const { root } = await openTestServer();
  mkdirSync(join(root, 'serve.token'), { mode: 0o700 });
  const open = openTestServer({ root, env: {} });
  await expect(open).rejects.toThrow(/neither read nor made.*UWF_SERVE_TOKEN/);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

describe('two servers on one root', () => {
  it('work side by side, and each knows its own cookie only', async () => {
    const first = await openTestServer();
    const second = await openTestServer({ root: first.root });
    const id = addThread(first.store);
    const answers = await Promise.all(
      [first, second].map(({ ask }) => ask('POST', `/api/threads/${id}/pause`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    const login = await first.ask('POST', '/api/session', { token: null, body: { token: TOKEN } });
    const cookie = login.headers['set-cookie']![0]!.split(';')[0]!;
    const ask = (test: typeof first) =>
      test.ask('GET', '/api/node', { token: null, headers: { cookie } });
    expect((await ask(first)).status).toBe(200);
    expect((await ask(second)).status).toBe(401);
    await first.server.close();
    expect((await second.ask('GET', '/api/node')).status).toBe(200);
  });
});

describe('a server', () => {
  it('says which port is in use, and touches no store then', async () => {
    const { port, root } = await openTestServer();
    const untouched = join(root, 'other');
    const error = await openTestServerAt(untouched, port);
    expect(error).toMatchObject({ code: 'in-use' });
    expect(String(error)).toContain(`127.0.0.1:${port}`);
    expect(existsSync(untouched)).toBe(false);
  });

  it('refuses an address that is not of this machine', async () => {
    const { root } = await openTestServer();
    const open = openTestServer({ root, host: '192.0.2.1' });
    await expect(open).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  it('ends streams and connections when it is closed', async () => {
    // Of the time to drain nothing is needed: streams end by themselves.
    const { server } = await openTestServer({ limits: { drainMs: DRAIN_MS } });
    const response = await fetch(`${server.url}/api/events`, bearer(TOKEN));
    const events = readEvents(response);
    expect((await events.next())?.event).toBe('snapshot');
    const startedAt = performance.now();
    await server.close();
    expect(await events.next()).toBe(null);
    expect(performance.now() - startedAt).toBeLessThan(DRAIN_MS);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });

  it('ends by itself when its root is gone', async () => {
    const { server, root, ask } = await openTestServer();
    rmSync(root, { recursive: true });
    expect((await ask('GET', '/healthz')).status).toBe(503);
    await expect(server.failed).rejects.toMatchObject({ code: 'store-unavailable' });
  });

  it('may be reached by the name it listens on', () => {
    expect(hostNames('10.0.0.5')).toEqual(['10.0.0.5']);
    expect(hostNames('fd00::1')).toEqual(['[fd00::1]']);
    expect(hostNames('0.0.0.0')).toContain('127.0.0.1');
    expect(addressText('::1', 80)).toBe('[::1]:80');
    expect(localUrl('::', 4810)).toBe('http://[::1]:4810');
    expect(localUrl('0.0.0.0', 4810)).toBe('http://127.0.0.1:4810');
    expect(['127.0.0.1', '127.1.2.3', '::1', 'localhost', 'LOCALHOST'].every(isLoopback)).toBe(
      true,
    );
    expect(['0.0.0.0', '::', '10.0.0.1', 'localhost.evil.example', ''].some(isLoopback)).toBe(
      false,
    );
  });
});

/** What a second start on this port fails with. */
async function openTestServerAt(root: string, port: number): Promise<unknown> {
  const { startServing } = await import('./start-serving.js');
  try {
    const server = await startServing({
      root,
      port,
      host: '127.0.0.1',
      name: 'me',
      labels: {},
      env: {},
      clock: Date.now,
      log: () => undefined,
    });
    onTestFinished(() => server.close());
    return null;
  } catch (error) {
    return error;
  }
}
