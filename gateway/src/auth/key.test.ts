import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryDir } from './auth.test-data.js';
import { loadKey } from './key.js';

let base: string;
let dataDir: string;
let file: string;
beforeEach(() => {
  base = temporaryDir();
  dataDir = join(base, 'deep', 'gateway');
  file = join(dataDir, 'key');
});
afterEach(() => rmSync(base, { recursive: true }));

const load = (secret?: string) => loadKey({ dataDir, env: { WORKFLOW_DASHBOARD_SECRET: secret } });
const mode = (path: string) => statSync(path).mode & 0o777;

function put(text: string, permissions = 0o600): void {
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, permissions);
}

describe('loadKey', () => {
  it('makes a key for this user alone, and finds it again', async () => {
    const made = await load();
    expect(made).toEqual({ secret: expect.stringMatching(/^[\w-]{43}$/), file });
    expect([mode(dataDir), mode(file)]).toEqual([0o700, 0o600]);
    expect(await load()).toEqual(made);
    expect(readFileSync(file, 'utf8')).toBe(`${made.secret}\n`);
    expect(readdirSync(dataDir)).toEqual(['key']);
  });

  it('gives all that start at once the same key', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => load()));
    expect(new Set(keys.map(({ secret }) => secret)).size).toBe(1);
    expect(readdirSync(dataDir)).toEqual(['key']);
  });

  it('prefers the environment, and writes nothing then', async () => {
    expect(await load('from-the-environment\n')).toEqual({
      secret: 'from-the-environment',
      file: null,
    });
    expect(() => statSync(dataDir)).toThrow();
  });

  it('takes an empty variable for none', async () => {
    expect((await load('')).file).toBe(file);
  });

  it.each([
    ['short', 'fifteen-letters'],
    ['with spaces', 'a secret with spaces in it'],
    ['not ASCII', 'pässwörter-sind-geheim'],
    ['endless', 'x'.repeat(1025)],
    ['shaped like a token', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.${'A'.repeat(43)}`],
  ])('refuses a variable that is %s and does not repeat it', async (_, secret) => {
    const failure = await load(secret).catch((error) => error);
    expect(failure).toMatchObject({ code: 'invalid-config' });
    expect(failure.message).toMatch(/WORKFLOW_DASHBOARD_SECRET.*set another one/);
    expect(failure.message).not.toContain(secret);
  });

  it.each([0o640, 0o604, 0o660, 0o644, 0o610])(
    'refuses a file that others may open: %o',
    async (permissions) => {
      put('a-good-key-of-some-length\n', permissions);
      await expect(load()).rejects.toThrow(/chmod 600/);
    },
  );

  it.each(['', '\n', 'short\n', 'x'.repeat(5000), 'two words of a long key\n'])(
    'refuses a file that holds %j',
    async (text) => {
      put(text);
      await expect(load()).rejects.toMatchObject({ code: 'invalid-config' });
    },
  );

  it('tolerates a line end of any kind', async () => {
    put('a-good-key-of-some-length\r\n');
    expect((await load()).secret).toBe('a-good-key-of-some-length');
  });

  it('refuses a directory or a pipe in its place without waiting', async () => {
    mkdirSync(file, { recursive: true });
    await expect(load()).rejects.toMatchObject({ code: 'invalid-config' });
    dataDir = base;
    execFileSync('mkfifo', ['-m', '600', join(dataDir, 'key')]);
    await expect(load()).rejects.toThrow(/not a file/);
  });

  it('says what to do when the directory cannot be', async () => {
    writeFileSync(join(base, 'file'), '');
    dataDir = join(base, 'file', 'gateway');
    await expect(load()).rejects.toThrow(/--data|WORKFLOW_DASHBOARD_SECRET/);
  });
});
