import {
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultCount } from '../support/fault-counts.js';
import { processesWith } from '../support/processes.js';
import { type StepJson, show, start, startChain, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { chain, oneScript, writeWorkflow } from '../support/workflows.js';

const MIB = 1024 * 1024;
const STEPS = faultCount({ reduced: 40, full: 200 });
const KEPT = STEPS / 4;
const STEP_BYTES = MIB;
/** With 200 steps, on two cores that others use too. */
const LONG_MS = 300_000;

/** Without reading 1 MiB of text a step each time. */
const untilEnded = (machine: Machine, id: string) =>
  until(
    'all steps are made',
    async () => {
      const { items } = await machine.json<{ items: { threadId: string; status: string }[] }>([
        'thread',
        'list',
      ]);
      const status = items.find(({ threadId }) => threadId === id)?.status ?? 'missing';
      return ['queued', 'running'].includes(status) ? null : status;
    },
    LONG_MS,
  );

const storeFile = (machine: Machine) => join(machine.root, 'store.db');

/** Changes the bytes of an entry in the file, as a failing disk would. */
function damage(machine: Machine, bytes: Buffer, change: (bytes: Buffer) => Buffer): void {
  const db = new Database(storeFile(machine));
  const changed = db.prepare('UPDATE node SET bytes=? WHERE bytes=?').run(change(bytes), bytes);
  db.close();
  expect(changed.changes).toBe(1);
}

const DAMAGES: [string, (bytes: Buffer) => Buffer][] = [
  ['truncated to nothing', () => Buffer.alloc(0)],
  ['cut in half', (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))],
  [
    'with one bit flipped',
    (bytes) => {
      const changed = Buffer.from(bytes);
      changed[Math.floor(changed.length / 2)]! ^= 1;
      return changed;
    },
  ],
];

describe('a damaged store', () => {
  let machine: Machine;
  beforeEach(() => {
    machine = createMachine();
  });
  afterEach(() => machine.dispose());

  it.each(DAMAGES)('tells an entry %s, and shows the other steps', async (_name, change) => {
    const id = await startChain(machine, 'three', 3, (n) => `echo "said by step ${n}"`);
    await untilStatus(machine, id, 'completed');
    const before = await show(machine, id);
    const content = before.steps[1]!.contentHash!;
    const { stdoutBytes } = await machine.uwf(['cas', 'get', content, '--raw']);
    damage(machine, stdoutBytes, change);

    const problem = { code: 'store-damaged', message: expect.stringContaining(content) };
    const { steps, ...thread } = await show(machine, id);
    expect(thread.status).toBe('completed');
    expect(steps).toMatchObject([
      { content: 'said by step 1\n', contentProblem: null },
      { content: null, contentHash: content, contentProblem: problem },
      { content: 'said by step 3\n', contentProblem: null },
    ]);
    const listed = await machine.json<{ items: StepJson[] }>(['step', 'list', id]);
    expect(listed.items[1]).toMatchObject({ content: null, contentProblem: problem });

    const shown = await machine.uwf(['thread', 'show', id]);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('said by step 1');
    expect(shown.stdout).toContain(`store-damaged: CAS entry ${content} is damaged`);
    expect(shown.stdout).toContain('said by step 3');

    const raw = await machine.uwf(['step', 'show', steps[1]!.hash!, '--raw']);
    expect(raw).toMatchObject({ code: 1, stdout: '' });
    expect(raw.stderr).toContain('uwf cas verify');
    expect((await machine.uwf(['step', 'show', steps[0]!.hash!, '--raw'])).stdout).toBe(
      'said by step 1\n',
    );

    const verified = await machine.uwf(['cas', 'verify', '--json']);
    expect(verified.code).toBe(1);
    expect(JSON.parse(verified.stdout)).toMatchObject({
      damagedCount: 1,
      quarantined: 1,
      damaged: [{ hash: content, type: 'content', threads: [id], isCut: false }],
    });

    expect((await machine.uwf(['cas', 'put', 'said by step 2\n'])).stdout.trim()).toBe(content);
    expect((await show(machine, id)).steps[1]).toMatchObject({ content: 'said by step 2\n' });
    expect((await machine.uwf(['cas', 'verify'])).code).toBe(0);
  });

  it('whose first 100 bytes were overwritten is told, and left as it is', async () => {
    const id = await start(machine, writeWorkflow(machine.cwd, 'one', oneScript('one', 'echo hi')));
    await untilStatus(machine, id, 'completed');
    const path = storeFile(machine);
    // Everything is in the file itself.
    const db = new Database(path);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(100, 0x20), 0, 100, 0);
    closeSync(file);
    const before = readFileSync(path);
    for (const args of [
      ['thread', 'list'],
      ['cas', 'gc', '--grace', '0'],
      ['cas', 'verify'],
      ['run', join(machine.cwd, 'one.yaml')],
    ]) {
      const { code, stderr } = await machine.uwf(args);
      expect(code).toBe(1);
      expect(stderr).toContain(path);
      expect(stderr).toMatch(/damaged or not a store/);
      expect(stderr).toMatch(/put a backup in their place/);
      expect(readFileSync(path).equals(before)).toBe(true);
    }
  });

  it('that was cut to nothing is told, and not made anew', async () => {
    const id = await start(machine, writeWorkflow(machine.cwd, 'one', oneScript('one', 'echo hi')));
    await untilStatus(machine, id, 'completed');
    const path = storeFile(machine);
    await until('the worker has gone', () => processesWith(machine.root).length === 0);
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    writeFileSync(path, '');
    for (const args of [
      ['thread', 'list'],
      ['run', join(machine.cwd, 'one.yaml')],
    ]) {
      const { code, stderr } = await machine.uwf(args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/store\.db is empty, though threads have run here/);
      expect(statSync(path).size).toBe(0);
    }
    rmSync(path);
    expect(await machine.uwf(['thread', 'list'])).toMatchObject({ code: 0 });
  });

  it(
    `falls to what a fork needs when its source of ${STEPS} steps of 1 MiB is removed`,
    async () => {
      const stop = join(machine.cwd, 'stop');
      const yaml = chain(
        'large',
        STEPS,
        (n) =>
          `${n > KEPT ? `if [ -e "${stop}" ]; then sleep 600; fi; ` : ''}yes "line of step ${n}" | head -c ${STEP_BYTES}`,
      );
      const file = writeWorkflow(machine.cwd, 'large', yaml);
      const id = await start(machine, file, '--max-steps', String(STEPS));
      expect(await untilEnded(machine, id)).toBe('completed');
      expect(statSync(storeFile(machine)).size).toBeGreaterThan(STEPS * STEP_BYTES * 0.9);
      writeFileSync(stop, '');
      const forked = await machine.json<{ threadId: string }>([
        'thread',
        'fork',
        id,
        '--from-step',
        String(KEPT),
      ]);
      await machine.uwf(['thread', 'kill', forked.threadId]);
      await untilStatus(machine, forked.threadId, 'cancelled');
      expect((await machine.uwf(['thread', 'rm', id])).code).toBe(0);
      const collected = await machine.uwf(['cas', 'gc', '--grace', '0']);
      expect(collected.code).toBe(0);
      expect(statSync(storeFile(machine)).size).toBeLessThan(KEPT * STEP_BYTES * 1.2);
      expect((await machine.uwf(['cas', 'verify'])).code).toBe(0);
      const { steps } = await show(machine, forked.threadId);
      const committed = steps.filter(({ status }) => status === 'committed');
      expect(committed).toHaveLength(KEPT);
      expect(committed.every(({ contentSize }) => contentSize === STEP_BYTES)).toBe(true);
    },
    LONG_MS,
  );
});
