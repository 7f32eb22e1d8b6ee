import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addThread, pretendWorker } from '../../api/test-api.js';
import { readAll, startGateway, type TestGateway, TOKEN, until } from '../../link/test-gateway.js';
import { openStore } from '../../store/index.js';

// Beside node_modules, so that the native modules are found.
const directory = fileURLToPath(
  new URL(`../../../dist/test-programs/connect-${process.pid}/`, import.meta.url),
);
const program = join(directory, 'uwf.js');
let base: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'uwf-connect-'));
  await build({
    entryPoints: [{ in: fileURLToPath(new URL('../main.ts', import.meta.url)), out: 'uwf' }],
    outdir: directory,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    external: ['better-sqlite3', 'bufferutil', 'utf-8-validate'],
    banner: {
      js: "import { createRequire as uwfRequire } from 'node:module'; const require = uwfRequire(import.meta.url);",
    },
  });
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await rm(base, { recursive: true, force: true });
});

type Running = {
  child: ChildProcess;
  out: () => string;
  err: () => string;
  ended: Promise<unknown[]>;
};

function connect(gateway: TestGateway, root: string, argv: readonly string[] = []): Running {
  const child = spawn(
    process.execPath,
    [program, 'connect', '--gateway', gateway.url, '--name', 'box', ...argv],
    {
      cwd: base,
      env: {
        PATH: process.env.PATH,
        WORKFLOW_STORAGE_ROOT: root,
        UWF_NODE_TOKEN: TOKEN,
        UWF_LIMITS: JSON.stringify({ retryMinMs: 20, retryMaxMs: 20 }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const texts = { out: '', err: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    texts.out += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    texts.err += chunk.toString();
  });
  return { child, out: () => texts.out, err: () => texts.err, ended: once(child, 'close') };
}

describe('uwf connect as a process', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'detaches in order on %s, leaving its threads, and exits 0',
    async (signal) => {
      const root = join(base, signal);
      const store = await openStore(root, { clock: Date.now });
      onTestFinished(() => store.close());
      pretendWorker(store);
      addThread(store);
      const gateway = await startGateway();
      const { child, out, err, ended } = connect(gateway, root);
      await until('connected', () => err().includes(`connected to ${gateway.url} as box`));
      await until('a link', () => gateway.links.length === 1);
      child.kill(signal);
      expect(await ended).toEqual([0, null]);
      expect(out()).toBe('');
      expect(err().includes('detached; 1 thread goes on')).toBe(signal !== 'SIGHUP');
      expect(gateway.latest().mux.ended()).toMatchObject({ goaway: { code: 'shutdown' } });
      expect(store.threads.countByStatus().queued).toBe(1);
    },
  );

  it('answers for whom the gateway names, holds its lock against a second one, and gives it up when killed', async () => {
    const root = join(base, 'lock');
    const gateway = await startGateway();
    const first = connect(gateway, root, ['--allow', 'read']);
    await until('a link', () => gateway.links.length === 1);
    const { mux } = gateway.latest();
    const ask = (headers: [string, string][], method: 'GET' | 'POST' = 'GET', path = '/api/node') =>
      mux.request({ method, path, headers, body: null });
    const ann: [string, string] = ['x-uwf-principal', 'operator ann'];
    const node = await ask([ann]);
    expect(JSON.parse(await readAll(node))).toMatchObject({ name: 'box', allow: ['read'] });
    const refusals = [await ask([]), await ask([ann], 'POST', '/api/threads')];
    expect(refusals.map(({ status }) => status)).toEqual([401, 403]);
    for (const refused of refusals) await readAll(refused);

    const second = connect(gateway, root);
    expect(await second.ended).toEqual([4, null]);
    expect(second.err()).toContain(`already connected as process ${first.child.pid}`);
    first.child.kill('SIGKILL');
    await first.ended;
    const third = connect(gateway, root);
    await until('a link', () => gateway.links.length === 2);
    third.child.kill('SIGTERM');
    expect(await third.ended).toEqual([0, null]);
  });

  it('tells programs how it stands, one event a line, and never its token', async () => {
    const gateway = await startGateway();
    const { child, out, err, ended } = connect(gateway, join(base, 'json'), ['--json']);
    await until('a link', () => gateway.links.length === 1);
    gateway.latest().socket.terminate();
    await until('another link', () => gateway.links.length === 2);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    const events = out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    expect(events.map(({ event }) => event)).toEqual([
      'dialling',
      'connected',
      'waiting',
      'dialling',
      'connected',
      'leaving',
      'detached',
    ]);
    expect(events[2]).toMatchObject({ node: 'box', gateway: gateway.url, code: 'link-lost' });
    expect(events.at(-1)).toEqual({ event: 'detached', node: 'box', threads: 0 });
    expect(err()).toBe('');
    expect(out()).not.toContain(TOKEN);
  });
});
