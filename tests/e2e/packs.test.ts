import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { show, startChain, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';

const UWF = fileURLToPath(new URL('../../agent-node/bin/uwf.js', import.meta.url));

/** What says where a thread is, not what it is. */
const PLACE = { imported: null, current: null };

let a: Machine;
let b: Machine;

beforeEach(() => {
  a = createMachine();
  b = createMachine();
});
afterEach(async () => {
  await a.dispose();
  await b.dispose();
});

async function endedThread(script: (n: number) => string): Promise<string> {
  const id = await startChain(a, 'packed', 3, script);
  await untilStatus(a, id, 'completed');
  return id;
}

/** Some thirty commands, each a process. */
const TEST_MAX_MS = 90_000;

describe('a thread that is carried to another machine', { timeout: TEST_MAX_MS }, () => {
  it('is there what it was here: all that is shown, byte for byte', async () => {
    const id = await endedThread(
      (n) => `echo "text ${n} Grüße"; head -c 700000 /dev/urandom | od -x`,
    );
    const exported = await a.uwf(['thread', 'export', id]);
    expect(exported).toMatchObject({ code: 0 });
    const file = join(a.cwd, `${id}.uwfpack`);
    expect(exported.stdout).toBe(`${file}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const checked = await b.uwf(['cas', 'verify', file]);
    expect([checked.code, checked.stderr]).toEqual([0, '']);
    expect(checked.stdout).toContain(id);

    const imported = await b.uwf(['thread', 'import', file]);
    expect([imported.code, imported.stdout]).toEqual([0, `${id}\n`]);
    const here = await show(b, id);
    const there = await show(a, id);
    expect(here.imported).toBe(true);
    expect({ ...here, ...PLACE }).toEqual({ ...there, ...PLACE });
    for (const { seq, hash } of there.steps) {
      const own = (machine: Machine, ...args: string[]) => machine.uwf(['step', ...args]);
      for (const args of [
        ['show', hash!],
        ['show', hash!, '--json'],
      ]) {
        const [one, other] = [await own(a, ...args), await own(b, ...args)];
        expect([seq, one.code]).toEqual([seq, 0]);
        expect(Buffer.compare(one.stdoutBytes, other.stdoutBytes)).toBe(0);
      }
    }
    const again = await b.uwf(['thread', 'import', file]);
    expect([again.code, again.stdout]).toEqual([0, `${id}\n`]);
    expect(again.stderr).toContain('here already');
    const home = await a.uwf(['thread', 'import', file]);
    expect([home.code, home.stdout]).toEqual([4, '']);
    const healthy = await b.uwf(['cas', 'verify']);
    expect([healthy.code, healthy.stderr]).toEqual([0, expect.not.stringContaining('damaged')]);
  });

  it('cannot be told anything there but to be forked, and goes on from there', async () => {
    const id = await endedThread((n) => `echo "text ${n}"`);
    const pack = await a.uwf(['thread', 'export', id, '-o', '-']);
    expect(pack.code).toBe(0);
    const imported = await b.uwf(['thread', 'import', '-'], { input: pack.stdoutBytes });
    expect([imported.code, imported.stdout]).toEqual([0, `${id}\n`]);
    for (const verb of ['pause', 'resume', 'retry', 'kill', 'exec']) {
      const { code, stderr } = await b.uwf(['thread', verb, id]);
      expect([verb, code, stderr]).toEqual([verb, 4, expect.stringContaining('fork it')]);
    }
    const forked = await b.uwf(['thread', 'fork', id, '--from-step', '1', '--wait']);
    expect([forked.code, forked.stderr]).toEqual([0, expect.anything()]);
    const { items } = await b.json<{ items: { threadId: string; status: string }[] }>([
      'thread',
      'list',
    ]);
    expect(items.map(({ status }) => status)).toEqual(['completed', 'completed']);
    const fork = items.find(({ threadId }) => threadId !== id)!;
    const detail = await show(b, fork.threadId);
    expect(detail).toMatchObject({ imported: false, forkedFrom: id, stepCount: 3 });
    expect(detail.workspace).not.toBe((await show(a, id)).workspace);
    expect((await b.uwf(['thread', 'rm', id])).code).toBe(0);
    expect((await show(b, fork.threadId)).steps).toHaveLength(3);
  });

  it('may run while it is packed: the copy has what was done, and nobody resumes it', async () => {
    const id = await startChain(a, 'packed', 2, (n) =>
      n === 1 ? 'echo first' : 'while ! test -e go; do sleep 0.05; done; echo second',
    );
    await until('the second step runs', async () => {
      const { steps } = await show(a, id);
      return steps.some(({ seq, status }) => seq === 2 && status === 'running');
    });
    const file = join(b.cwd, 'early.pack');
    expect((await a.uwf(['thread', 'export', id, '-o', file])).code).toBe(0);
    expect((await b.uwf(['thread', 'import', file])).code).toBe(0);
    expect(await show(b, id)).toMatchObject({ status: 'interrupted', stepCount: 1 });
    const shown = await b.uwf(['thread', 'show', id]);
    expect(shown.stdout).toContain(`uwf thread fork ${id}`);
    expect((await b.uwf(['ps'])).stdout).not.toContain(id);
    writeFileSync(join(a.cwd, 'go'), '');
    await untilStatus(a, id, 'completed');
    const late = await a.uwf(['thread', 'export', id, '-o', '-']);
    const refused = await b.uwf(['thread', 'import', '-'], { input: late.stdoutBytes });
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('uwf thread rm')]);
  });
});

describe('the file of a pack', { timeout: TEST_MAX_MS }, () => {
  it('takes the place of another only when told to, and is whole or not there', async () => {
    const id = await endedThread((n) => `echo "text ${n}"`);
    const file = join(a.cwd, 'mine');
    writeFileSync(file, 'mine');
    const refused = await a.uwf(['thread', 'export', id, '-o', 'mine']);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('--force')]);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const forced = await a.json(['thread', 'export', id, '-o', 'mine', '--force']);
    const { sha256 } = await b.json(['thread', 'import', file]);
    expect(forced).toEqual({ threadId: id, file, bytes: statSync(file).size, sha256 });
    const nowhere = await a.uwf(['thread', 'export', id, '-o', 'no/such/directory/x']);
    expect([nowhere.code, nowhere.stderr]).toEqual([3, expect.stringContaining('no directory')]);
    expect((await a.uwf(['thread', 'export', id, '-o', a.cwd, '--force'])).code).toBe(2);
    expect((await a.uwf(['thread', 'export', id, '-o', ''])).code).toBe(2);
    expect((await a.uwf(['thread', 'export', id, '--json', '-o', '-'])).code).toBe(2);
    expect(readdirSync(a.cwd).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('is refused with what is wrong when it was changed, cut or is no pack; nothing is to be seen', async () => {
    const id = await endedThread((n) => `echo "text ${n}"`);
    const { stdoutBytes: pack } = await a.uwf(['thread', 'export', id, '-o', '-']);
    const flipped = Buffer.from(pack);
    const middle = Math.floor(pack.length / 2);
    flipped[middle] = flipped[middle]! ^ 4;
    for (const bad of [flipped, pack.subarray(0, pack.length - 1), Buffer.from('PK')]) {
      writeFileSync(join(b.cwd, 'bad'), bad);
      for (const args of [
        ['thread', 'import', 'bad'],
        ['cas', 'verify', 'bad'],
      ]) {
        const { code, stderr, stdout } = await b.uwf(args);
        expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/at byte \d+/)]);
      }
    }
    expect(await b.json(['thread', 'list'])).toMatchObject({ items: [] });
    expect((await b.uwf(['thread', 'import', 'none'])).code).toBe(3);
    expect((await b.uwf(['thread', 'import', '.'])).code).toBe(3);
  });

  it('leaves nothing to be seen when the import is killed half way, and goes in the next time', async () => {
    const id = await endedThread(() => 'head -c 2000000 /dev/urandom | od -x');
    const { stdoutBytes: pack } = await a.uwf(['thread', 'export', id, '-o', '-']);
    const child = spawn(process.execPath, [UWF, 'thread', 'import', '-'], {
      cwd: b.cwd,
      env: b.env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = once(child, 'close');
    child.stdin.on('error', () => undefined);
    child.stdin.write(pack.subarray(0, Math.floor(pack.length * 0.8)));
    await until('some of it is stored', async () => {
      const { stdout } = await b.uwf(['cas', 'list', '--type', 'content', '--json']);
      return stdout.includes('"content"');
    });
    child.kill('SIGKILL');
    await ended;
    expect(await b.json(['thread', 'list'])).toMatchObject({ items: [] });
    expect((await b.uwf(['thread', 'show', id])).code).toBe(3);
    const whole = await b.uwf(['thread', 'import', '-'], { input: pack });
    expect([whole.code, whole.stdout]).toEqual([0, `${id}\n`]);
    expect(await show(b, id)).toMatchObject({ status: 'completed' });
  });
});
