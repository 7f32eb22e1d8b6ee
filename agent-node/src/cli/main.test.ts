import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// Beside node_modules, so that the native module is found.
const directory = fileURLToPath(
  new URL(`../../dist/test-programs/cli-${process.pid}/`, import.meta.url),
);
const program = join(directory, 'uwf.js');
let base: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'uwf-main-'));
  await build({
    entryPoints: [{ in: fileURLToPath(new URL('./main.ts', import.meta.url)), out: 'uwf' }],
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

type Ended = { code: number | null; signal: string | null; out: string; err: string };

/** Runs the program as its own process; `prepare` is shell text that comes before it. */
function uwf(shell: string, env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(
    'bash',
    ['-c', shell.replaceAll('UWF', `"${process.execPath}" "${program}"`)],
    {
      cwd: base,
      env: { PATH: process.env.PATH, WORKFLOW_STORAGE_ROOT: join(base, 'root'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    texts.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    texts.err += chunk.toString();
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...texts }));
  });
}

describe('the program', () => {
  it('does what it is told and exits with its code', async () => {
    const listed = await uwf('UWF workflow list --json');
    expect(listed).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(listed.out)).toHaveProperty('items');
    expect(await uwf('UWF nonsense')).toMatchObject({ code: 2, out: '' });
    expect(await uwf('UWF cas get 0000000000000')).toMatchObject({ code: 3, out: '' });
  });

  it('shows YAML, which needs a library of CommonJS', async () => {
    expect((await uwf('UWF cas get $(UWF cas put hello)')).out).toContain('text: hello');
    expect((await uwf('UWF workflow show demo --format yaml')).out).toContain('name: demo');
  });

  it('ends quietly with 0 when its reader has seen enough', async () => {
    const { out, err } = await uwf(
      'head -c 2000000 /dev/zero | tr "\\0" x | UWF cas put > hash; UWF cas get $(cat hash) --text | head -c 10; echo " ${PIPESTATUS[0]}"',
    );
    expect({ out, err }).toEqual({ out: 'xxxxxxxxxx 0\n', err: '' });
  });

  it('does not end with 0 when its output is lost', async () => {
    if (!existsSync('/dev/full')) return;
    const { code, err } = await uwf('UWF workflow schema > /dev/full');
    expect(code).toBe(1);
    expect(err).toContain('error: cannot write the output');
  });

  it('says so when its directory is gone', async () => {
    await mkdir(join(base, 'gone'));
    const { code, err } = await uwf('cd gone && rmdir ../gone && UWF workflow list');
    expect(code).toBe(2);
    expect(err).toContain('The current directory no longer exists');
  });

  it('finds its storage when HOME is not set, and uses none for a check', async () => {
    const { code, err } = await uwf(
      'unset HOME WORKFLOW_STORAGE_ROOT; UWF workflow check absent.yaml',
    );
    expect(code).toBe(3);
    expect(err).toContain('There is no file');
  });

  it('takes its storage root from either variable, an empty one counting as unset', async () => {
    await uwf('UWF cas put x', { UNCAGED_WORKFLOW_STORAGE_ROOT: join(base, 'first') });
    await uwf('UWF cas put x', {
      UNCAGED_WORKFLOW_STORAGE_ROOT: '',
      WORKFLOW_STORAGE_ROOT: join(base, 'second'),
    });
    expect(await readdir(join(base, 'first'))).toContain('store.db');
    expect(await readdir(join(base, 'second'))).toContain('store.db');
  });

  it('names a storage root that is no directory', async () => {
    await (await open(join(base, 'a-file'), 'w')).close();
    const { code, out, err } = await uwf('UWF cas list', {
      WORKFLOW_STORAGE_ROOT: join(base, 'a-file'),
    });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(join(base, 'a-file'));
  });
});
