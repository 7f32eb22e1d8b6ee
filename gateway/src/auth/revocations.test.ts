import { fork } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KEY, START_MS, temporaryDir } from './auth.test-data.js';
import { issueToken, revokeToken } from './issue.js';
import { openRevocations, type Revocations } from './revocations.js';
import { appendRevocation, readRevokedFile, revokedFileOf } from './revoked-file.js';

const DEADLINE_MS = 20_000;
/** Waits until nothing is wrong with it. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: DEADLINE_MS, interval: 5 });

const id = (n: number) => String(n).padStart(22, '0');
const line = (n: number, expiresAt: number | null = null) =>
  `${JSON.stringify({ id: id(n), expiresAt })}\n`;

let dataDir: string;
let file: string;
let now: number;
let logged: string[];
let opened: Revocations[];
beforeEach(() => {
  dataDir = temporaryDir();
  file = revokedFileOf(dataDir);
  now = START_MS;
  logged = [];
  opened = [];
});
afterEach(() => {
  for (const one of opened) one.close();
  rmSync(dataDir, { recursive: true });
});

async function open(): Promise<Revocations> {
  const revocations = await openRevocations({
    file,
    lookMs: 5,
    clock: () => now,
    log: (_, text) => logged.push(text),
  });
  opened.push(revocations);
  return revocations;
}

describe('revocations', () => {
  it('are seen while running, and listeners are told once what is new is known', async () => {
    const revocations = await open();
    expect(revocations.has(id(1))).toBe(false);
    const told: boolean[] = [];
    revocations.onAdded(() => told.push(revocations.has(id(1))));
    await appendRevocation(file, { id: id(1), expiresAt: null });
    await eventually(() => expect(told).toEqual([true]));
    await appendRevocation(file, { id: id(1), expiresAt: null });
    await appendRevocation(file, { id: id(2), expiresAt: null });
    await eventually(() => expect(revocations.has(id(2))).toBe(true));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('of tokens that have expired are dropped', async () => {
    writeFileSync(file, line(1, START_MS) + line(2, START_MS + 1) + line(3));
    const revocations = await open();
    expect([1, 2, 3].map((n) => revocations.has(id(n)))).toEqual([false, true, true]);
    now = START_MS + 1;
    await appendRevocation(file, { id: id(4), expiresAt: null });
    await eventually(() => expect(revocations.has(id(4))).toBe(true));
    expect([2, 3].map((n) => revocations.has(id(n)))).toEqual([false, true]);
  });

  it.each(['{"id":"0000', 'null', '{"id":"../x","expiresAt":null}', '\u0000\u0000', '[]'])(
    'refuse to be opened with the damaged line %j, and say what to do',
    async (damage) => {
      writeFileSync(file, `${line(1)}\n${damage}\n${line(2)}`);
      await expect(open()).rejects.toThrow(/damaged in line 3.*Remove the line/);
    },
  );

  it('go on with what is known when the file is damaged or removed while running', async () => {
    writeFileSync(file, line(1));
    const revocations = await open();
    writeFileSync(file, `garbage\n${line(2)}`);
    await eventually(() => expect(revocations.has(id(2))).toBe(true));
    expect(revocations.has(id(1))).toBe(true);
    expect(logged.join()).toMatch(/damaged in line 1/);
    rmSync(file);
    await eventually(() => expect(logged.join()).toMatch(/is gone/));
    expect(revocations.has(id(1)) && revocations.has(id(2))).toBe(true);
    await appendRevocation(file, { id: id(3), expiresAt: null });
    await eventually(() => expect(revocations.has(id(3))).toBe(true));
  });

  it('say once that the file cannot be looked at', async () => {
    const revocations = await openRevocations({
      file: join(dataDir, 'sub', 'revoked.jsonl'),
      lookMs: 2,
      clock: () => now,
      log: (_, text) => logged.push(text),
    });
    opened.push(revocations);
    writeFileSync(join(dataDir, 'sub'), '');
    await eventually(() => expect(logged).toHaveLength(1));
    const looks = vi.fn();
    const timer = setInterval(looks, 2);
    await eventually(() => expect(looks.mock.calls.length).toBeGreaterThan(5));
    clearInterval(timer);
    expect(logged).toEqual([expect.stringMatching(/cannot look for revoked tokens.*ENOTDIR/)]);
  });

  it('are noticed also when the file has the size that it had', async () => {
    writeFileSync(file, line(1));
    const revocations = await open();
    writeFileSync(file, line(2));
    utimesSync(file, 1, 1);
    await eventually(() => expect(revocations.has(id(2))).toBe(true));
  });
});

describe('appending', () => {
  it('keeps a line apart from what a crash cut off before it', async () => {
    writeFileSync(file, `${line(1)}{"id":"000`);
    await appendRevocation(file, { id: id(2), expiresAt: 5 });
    const { revocations, damaged } = (await readRevokedFile(file))!;
    expect(revocations.map((one) => one.id)).toEqual([id(1), id(2)]);
    expect(damaged).toEqual([2]);
  });

  it('loses nothing when several processes revoke at once', async () => {
    const program = join(dataDir, 'append.mjs');
    // The same system calls as appendRevocation, from processes that share nothing.
    writeFileSync(
      program,
      `import { open } from 'node:fs/promises';
       const [file, from] = process.argv.slice(2);
       for (let i = 0; i < 100; i++) {
         const handle = await open(file, 'a+', 0o600);
         await handle.appendFile(JSON.stringify({ id: String(Number(from) + i).padStart(22, '0'), expiresAt: null }) + '\\n');
         await handle.close();
       }`,
    );
    const children = [1000, 2000, 3000].map((from) => fork(program, [file, String(from)]));
    const codes = children.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (let i = 0; i < 100; i++) await appendRevocation(file, { id: id(i), expiresAt: null });
    expect(await Promise.all(codes)).toEqual([0, 0, 0]);
    const { revocations, damaged } = (await readRevokedFile(file))!;
    expect(damaged).toEqual([]);
    expect(new Set(revocations.map((one) => one.id)).size).toBe(400);
  });
});

describe('revokeToken', () => {
  const clock = () => now;
  const revoke = (tokenOrId: string) => revokeToken({ dataDir, key: KEY, tokenOrId, clock });

  it('takes a token or its id, twice too', async () => {
    const { token, id: tokenId } = await issueToken({
      key: KEY,
      role: 'node',
      name: 'build-1',
      lifetimeMs: 60_000,
      clock,
    });
    expect(await revoke(token)).toEqual({ id: tokenId, expiresAt: START_MS + 60_000 });
    expect(await revoke(token)).toEqual({ id: tokenId, expiresAt: START_MS + 60_000 });
    expect(await revoke(tokenId)).toEqual({ id: tokenId, expiresAt: null });
    expect((await open()).has(tokenId)).toBe(true);
    expect(readFileSync(file, 'utf8')).not.toContain(token);
  });

  it.each([
    ['something else', async (): Promise<string> => 'not-a-token', /neither a token/],
    ['the key', async (): Promise<string> => KEY.secret, /key of the gateway/],
    [
      'a token of another key',
      async (): Promise<string> => {
        const key = { secret: 'quite-another-secret', file: null };
        const terms = { key, role: 'viewer', name: 'ada', lifetimeMs: null, clock } as const;
        return (await issueToken(terms)).token;
      },
      /neither a token/,
    ],
    [
      'an expired token',
      async (): Promise<string> => {
        const terms = { key: KEY, role: 'viewer', name: 'ada', clock } as const;
        const { token } = await issueToken({ ...terms, lifetimeMs: 1000 });
        now += 1000;
        return token;
      },
      /refused anyway/,
    ],
  ] as const)('refuses %s and writes nothing', async (_, make, message) => {
    const failure = revoke(await make());
    await expect(failure).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(failure).rejects.toThrow(message);
    expect(await readRevokedFile(file)).toBeNull();
  });

  it('says that nothing was revoked when it cannot be written', async () => {
    appendFileSync(join(dataDir, 'blocked'), '');
    await expect(
      appendRevocation(join(dataDir, 'blocked', 'revoked.jsonl'), { id: id(1), expiresAt: null }),
    ).rejects.toThrow(/not revoked/);
  });
});
