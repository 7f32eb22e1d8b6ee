import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock, openStore } from '../store/index.js';
import { runForTest } from './testing.js';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'uwf-connect-'));
});
afterEach(() => rm(base, { recursive: true }));

const SECRET = 'a-secret-token';
const run = (argv: string[], env: Record<string, string> = { UWF_NODE_TOKEN: SECRET }) =>
  runForTest(['connect', ...argv], { root: join(base, 'root'), cwd: base, env });
const gateway = ['--gateway', 'http://127.0.0.1:1'];

describe('uwf connect', () => {
  it.each([
    [[], 'which gateway?'],
    [['--gateway', 'ftp://a.test'], 'http:// or https://'],
    [['--gateway', 'nonsense'], 'http:// or https://'],
    [['--gateway', `https://ann:${SECRET}@a.test`], '--token-file'],
    [['--gateway', `https://a.test/?token=${SECRET}`], 'without "?" and "#"'],
    [['--gateway', 'https://a.test/#x'], 'without "?" and "#"'],
    [['--gateway', 'http://a.test'], '--insecure'],
    [[...gateway, '--gateway', 'http://b.test'], '--insecure'],
    [[...gateway, '--name', 'Build 1'], '--name'],
    [[...gateway, '--name', 'x'.repeat(64)], '--name'],
    [[...gateway, '--labels', 'os'], '--labels'],
    [[...gateway, '--allow', 'everything'], '--allow'],
    [[...gateway, 'extra'], 'too many arguments'],
  ])('refuses %j with exit code 2, before it touches anything', async (argv, message) => {
    const { code, out, err } = await run(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err).not.toContain(SECRET);
    expect(await readdir(base)).toEqual([]);
  });

  it('names all three places of a token when there is none', async () => {
    const { code, err } = await run(gateway, {
      UWF_NODE_TOKEN: '',
      WORKFLOW_DASHBOARD_SECRET: ' ',
    });
    expect(code).toBe(2);
    for (const place of ['--token-file', 'UWF_NODE_TOKEN', 'WORKFLOW_DASHBOARD_SECRET'])
      expect(err).toContain(place);
  });

  it.each([
    ['', 'is empty'],
    ['two words', 'is no token'],
    ['x'.repeat(9_000), 'more than 8192 bytes'],
  ])('refuses a token file with %j', async (text, message) => {
    const file = join(base, 'token');
    await writeFile(file, text, { mode: 0o600 });
    const { code, err } = await run([...gateway, '--token-file', 'token']);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(err).not.toContain('two words');
  });

  it('names a token file that is missing or no file', async () => {
    expect(await run([...gateway, '--token-file', 'none'])).toMatchObject({ code: 3 });
    const { code, err } = await run([...gateway, '--token-file', '.']);
    expect(code).toBe(2);
    expect(err).toContain('EISDIR');
  });

  it('says which process is connected already, and exits 4', async () => {
    const root = join(base, 'root');
    const store = await openStore(root, { clock: Date.now });
    const lock = await acquireLock(join(root, 'node.lock'));
    try {
      const { code, out, err } = await run(gateway);
      expect({ code, out }).toEqual({ code: 4, out: '' });
      expect(err).toContain('already connected as');
      const asJson = await run([...gateway, '--json']);
      expect(JSON.parse(asJson.err)).toMatchObject({ code: 'in-use', status: 409 });
    } finally {
      lock.release();
      store.close();
    }
  });

  it('warns of a token file that others can read, and exits 5 when the gateway refuses the token', async () => {
    const { createServer } = await import('node:http');
    const tokens: (string | undefined)[] = [];
    const server = createServer().on('upgrade', (request, socket) => {
      tokens.push(request.headers.authorization);
      socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    try {
      const file = join(base, 'token');
      await writeFile(file, `${SECRET}\n`);
      await chmod(file, 0o644);
      const argv = ['--gateway', `http://127.0.0.1:${port}`, '--token-file', file];
      const { code, out, err } = await run(argv, { UWF_NODE_TOKEN: 'another' });
      expect({ code, out }).toEqual({ code: 5, out: '' });
      expect(err).toContain('chmod 600');
      expect(err).toContain('does not take the token');
      expect(err).not.toContain(SECRET);
      expect(tokens).toEqual([`Bearer ${SECRET}`]);
      // The lock is free again.
      expect((await run(argv)).code).toBe(5);
    } finally {
      server.close();
    }
  });
});
