import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Auth, createAuth, loadKey } from '../auth/index.js';
import { runCli } from './program.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const ADDRESS = '192.0.2.7';

let dataDir: string;
let opened: Auth[];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'uwf-token-'));
  opened = [];
});
afterEach(() => {
  for (const auth of opened) auth.close();
  rmSync(dataDir, { recursive: true });
});

async function run(args: string[], { isTTY = false, env = {}, data = dataDir } = {}) {
  let stdout = '';
  let stderr = '';
  const code = await runCli({
    argv: ['token', ...args, ...(data === '' ? [] : ['--data', data])],
    env,
    stdout: {
      write: (text) => {
        stdout += text;
      },
    },
    stderr: {
      write: (text) => {
        stderr += text;
      },
      isTTY,
    },
  });
  return { code, stdout, stderr };
}

/** Whom a gateway with this data takes the holder for. */
async function identityOf(token: string) {
  const auth = await createAuth({
    dataDir,
    key: await loadKey({ dataDir, env: {} }),
    port: 1,
    secure: false,
    limits: { failuresMax: 3, failureWindowMs: 1000, revocationLookMs: 1000 },
    clock: Date.now,
    log: () => undefined,
  });
  opened.push(auth);
  const headers = { authorization: `Bearer ${token}` };
  const request = { headers, rawHeaders: Object.entries(headers).flat() };
  return await auth.identify(request as never, ADDRESS);
}

describe('uwf-gateway token', () => {
  it('prints a token that the gateway takes, alone, for 90 days', async () => {
    const { code, stdout, stderr } = await run(['--role', 'node', '--name', 'build-1']);
    expect(code).toBe(0);
    expect(stderr).not.toContain(stdout.trim());
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const identity = await identityOf(stdout.trim());
    expect(identity).toMatchObject({ role: 'node', name: 'build-1' });
    const leftMs = identity.expiresAt! - Date.now();
    expect(leftMs).toBeGreaterThan(89.9 * DAY_MS);
    expect(leftMs).toBeLessThanOrEqual(90 * DAY_MS);
  });

  it('tells beside it until when it is good and how to revoke it', async () => {
    const args = ['--role', 'viewer', '--name', 'ada'];
    expect((await run(args, { isTTY: true })).stderr).toMatch(
      /^It expires at \d{4}-.*--revoke [0-9A-Za-z]{22}\n$/,
    );
    const never = await run([...args, '--expires', 'never'], { isTTY: true });
    expect(never.stderr).toMatch(/does not expire/);
    expect(await identityOf(never.stdout.trim())).toMatchObject({ expiresAt: null });
  });

  it('prints JSON with the id', async () => {
    const args = ['--role', 'operator', '--name', 'ada', '--expires', '2h', '--json'];
    const result = JSON.parse((await run(args)).stdout);
    expect(result).toEqual({
      token: expect.any(String),
      id: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
      role: 'operator',
      name: 'ada',
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(await identityOf(result.token)).toMatchObject({ tokenId: result.id });
  });

  it.each([
    [['--name', 'ada'], /--role.*node.*viewer.*operator/],
    [['--role', 'admin', '--name', 'ada'], /"admin".*node.*viewer.*operator/],
    [['--role', 'viewer'], /--name/],
    [['--role', 'viewer', '--name', 'a b'], /"a b".*A-Z/],
    [['--role', 'node', '--name', 'Build_1'], /name of a node.*a-z/],
    [['--role', 'viewer', '--name', 'ada', '--expires', '90'], /"90".*90d.*never/],
    [['--role', 'viewer', '--name', 'ada', '--expires', '0d'], /never/],
    [['--role', 'viewer', '--name', 'ada', '--expires', '999999999d'], /3650d/],
    [['--role', 'viewer', '--name', 'ada', '--expires', '-1d'], /never/],
    [['--revoke', 'x'.repeat(22), '--role', 'node'], /--revoke.*--role/],
    [['--revoke', 'nonsense'], /neither a token/],
    [['--list'], /unknown option/],
    [['stray'], /too many arguments/],
  ])('refuses %j with exit code 2 and what is allowed', async (args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(JSON.parse((await run([...args, '--json'])).stderr)).toMatchObject({
      code: 'invalid-argument',
      detail: expect.stringMatching(message),
    });
  });

  it('shows control characters of what it was given instead of sending them', async () => {
    const { stderr } = await run(['--role', '\u001b[2J\u202e\u009b', '--name', 'x']);
    expect(stderr).toMatch(/^error: [^\u001b\u202e\u009b]*$/);
  });

  it('revokes a token, given itself or its id', async () => {
    for (const name of ['a', 'b']) {
      const made = await run(['--role', 'viewer', '--name', name, '--json']);
      const { token, id } = JSON.parse(made.stdout);
      await expect(identityOf(token)).resolves.toMatchObject({ name });
      const { code, stdout } = await run(['--revoke', name === 'a' ? token : id]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: `revoked ${id}\n` });
      await expect(identityOf(token)).rejects.toMatchObject({ code: 'token-revoked' });
    }
  });

  it('does not revoke where no gateway is', async () => {
    const data = join(dataDir, 'elsewhere');
    const { code, stderr } = await run(['--revoke', 'x'.repeat(22)], { data });
    expect(code).toBe(2);
    expect(stderr).toMatch(/--data/);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('ends with 2 when the key cannot be used', async () => {
    writeFileSync(join(dataDir, 'key'), 'short', { mode: 0o600 });
    const { code, stderr } = await run(['--role', 'viewer', '--name', 'ada']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/at least 16/);
  });

  it('signs with the key of the environment when there is one', async () => {
    const env = { WORKFLOW_DASHBOARD_SECRET: 'from-the-environment' };
    const { code, stdout } = await run(['--role', 'viewer', '--name', 'ada'], { env });
    expect(code).toBe(0);
    await expect(identityOf(stdout.trim())).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
