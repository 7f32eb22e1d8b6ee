import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultCount } from '../support/fault-counts.js';
import { attemptsOf, configure, nests, projectWorkflow, untilChild } from '../support/nested.js';
import { isAlive } from '../support/processes.js';
import { startService, untilSaid } from '../support/service.js';
import { show, start, type ThreadJson, untilOwned, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';

/** Each starts a dozen processes, on two cores that others use too. */
const TEST_MAX_MS = 180_000;
const UWF = fileURLToPath(new URL('../../agent-node/bin/uwf.js', import.meta.url));
const KILLS = faultCount({ reduced: 5, full: 60 });
/** The longest that a kill waits after a resume, ms: some steps. */
const KILL_WITHIN_MS = 800;
const KILL_MAX_MS = 20_000;
const INNER_STEPS = 4;
const OUTER_STEPS = 3;
/** A worker that stands still counts as dead after this; far more than one needs that has to share two cores. */
const DEAD_AFTER_MS = 6_000;
const BOUNDED_MS = 55_000;

describe('nested threads when their worker dies', { timeout: TEST_MAX_MS }, () => {
  let machine: Machine;
  let gate: string;
  let trace: string;
  let stopped: number | null = null;
  beforeEach(() => {
    machine = createMachine({ deadAfterMs: DEAD_AFTER_MS, renewEveryMs: 100 });
    gate = join(machine.cwd, 'gate');
    trace = join(machine.cwd, 'trace');
  });
  afterEach(async () => {
    if (stopped !== null && isAlive(stopped)) process.kill(stopped, 'SIGKILL');
    stopped = null;
    await machine.dispose();
  });

  const open = () => writeFileSync(gate, '');
  const ran = () => (existsSync(trace) ? readFileSync(trace, 'utf8').trim().split('\n') : []);
  const says = (what: string) => ({ run: `echo ${what} >> "${trace}"; echo '{"$status":"ok"}'` });
  const gated = (what: string) => ({
    run: `echo ${what} >> "${trace}"; echo $$ > "${trace}.pid"; while [ ! -e "${gate}" ]; do sleep 0.02; done; echo '{"$status":"ok"}'`,
  });
  const scriptPid = () => Number(readFileSync(`${trace}.pid`, 'utf8'));

  /** a, b (= inner: one, two), c; `two` waits for the gate. Resolves when it does. */
  async function running(more: Record<string, unknown> = {}) {
    configure(machine, { agents: { nested: nests('inner') }, ...more });
    projectWorkflow(machine, 'inner', { one: says('one'), two: gated('two') });
    projectWorkflow(machine, 'outer', { a: says('a'), b: { agent: 'nested' }, c: says('c') });
    const id = await start(machine, 'outer');
    const child = await untilChild(machine, id, 2);
    await until('the nested step runs', () => ran().includes('two'));
    return { id, child };
  }

  async function killWorkerOf(id: string): Promise<void> {
    process.kill(await untilOwned(machine, id), 'SIGKILL');
    await untilStatus(machine, id, 'interrupted');
  }

  it('resume of the parent goes on in the same nested thread, and runs nothing again that was finished', async () => {
    const { id, child } = await running();
    await killWorkerOf(id);
    expect(await show(machine, child)).toMatchObject({ status: 'interrupted', stepCount: 1 });
    open();
    expect(await machine.uwf(['thread', 'resume', id])).toMatchObject({ code: 0 });
    const done = await untilStatus(machine, id, 'completed');
    expect(ran()).toEqual(['a', 'one', 'two', 'two', 'c']);
    expect(attemptsOf(done)).toEqual([
      [1, 1, 'committed'],
      [2, 1, 'interrupted'],
      [2, 2, 'committed'],
      [3, 1, 'committed'],
    ]);
    expect(done.steps.map((step) => step.childThread)).toEqual([null, child, child, null]);
  });

  it('a nested thread that finished while its parent lay still is not run again', async () => {
    const { id, child } = await running();
    await killWorkerOf(id);
    open();
    await machine.uwf(['thread', 'resume', child]);
    await untilStatus(machine, child, 'completed');
    expect(await show(machine, id)).toMatchObject({ status: 'interrupted' });
    await machine.uwf(['thread', 'resume', id]);
    expect((await untilStatus(machine, id, 'completed')).steps.at(-2)?.childThread).toBe(child);
    expect(ran()).toEqual(['a', 'one', 'two', 'two', 'c']);
  });

  it('a nested thread that was killed while its parent lay still fails the step once; retry starts another', async () => {
    const { id, child } = await running();
    await killWorkerOf(id);
    expect(await machine.uwf(['thread', 'kill', child])).toMatchObject({ code: 0 });
    await machine.uwf(['thread', 'resume', id]);
    const failed = await untilStatus(machine, id, 'failed');
    expect(failed.problem?.code).toBe('child-cancelled');
    open();
    await machine.uwf(['thread', 'retry', id]);
    const done = await untilStatus(machine, id, 'completed');
    expect(done.steps.at(-2)?.childThread).not.toBe(child);
    expect(ran()).toEqual(['a', 'one', 'two', 'one', 'two', 'c']);
  });

  it('a killed parent takes along what is nested in it, though nobody runs either', async () => {
    const { id, child } = await running();
    const pid = scriptPid();
    await killWorkerOf(id);
    expect(await machine.uwf(['thread', 'kill', id])).toMatchObject({ code: 0 });
    expect(await show(machine, id)).toMatchObject({ status: 'cancelled' });
    expect(await show(machine, child)).toMatchObject({ status: 'cancelled' });
    expect(isAlive(pid)).toBe(false);
  });

  it('a kill of the parent is obeyed in bounded time by a worker that stands still', async () => {
    const { id, child } = await running();
    stopped = await untilOwned(machine, id);
    process.kill(stopped, 'SIGSTOP');
    const began = performance.now();
    expect(await machine.uwf(['thread', 'kill', id])).toMatchObject({ code: 0 });
    expect(performance.now() - began).toBeLessThan(BOUNDED_MS);
    expect(await show(machine, id)).toMatchObject({ status: 'cancelled' });
    expect(await show(machine, child)).toMatchObject({ status: 'cancelled' });
    await until('the script is gone', () => !isAlive(scriptPid()));
  });

  it('a kill of the parent reaches a nested thread that still waits in the queue', async () => {
    configure(machine, {
      agents: { nested: nests('inner') },
      concurrency: { workflows: { inner: 1 } },
    });
    projectWorkflow(machine, 'inner', { one: gated('one') });
    projectWorkflow(machine, 'outer', { b: { agent: 'nested' } });
    const busy = await start(machine, 'inner');
    await until('the slot is taken', () => ran().includes('one'));
    const id = await start(machine, 'outer');
    const child = await untilChild(machine, id, 1);
    expect(await show(machine, child)).toMatchObject({
      status: 'queued',
      queue: { waitsFor: 'workflow' },
    });
    expect(await machine.uwf(['thread', 'kill', id])).toMatchObject({ code: 0 });
    expect(await show(machine, child)).toMatchObject({ status: 'cancelled' });
    open();
    await untilStatus(machine, busy, 'completed');
    expect(ran()).toEqual(['one']);
  });

  it('serving the node brings both back, once each', async () => {
    const { id, child } = await running();
    await killWorkerOf(id);
    open();
    const served = startService(UWF, ['serve', '--port', '0'], {
      cwd: machine.cwd,
      env: machine.env,
    });
    try {
      await untilSaid(served, 'stdout', /^(http:\/\/127\.0\.0\.1:\d+)\n/);
      const done = await untilStatus(machine, id, 'completed');
      expect(done.steps.filter((step) => step.status === 'committed')[1]?.childThread).toBe(child);
      expect(ran()).toEqual(['a', 'one', 'two', 'two', 'c']);
    } finally {
      await served.stop();
    }
  });

  describe('of its own', () => {
    /** As with `running`, but another worker has the nested thread: while a limit holds it in the queue it is given one. */
    async function apart() {
      const workflows = { inner: 1 };
      configure(machine, { agents: { nested: nests('inner') }, concurrency: { workflows } });
      projectWorkflow(machine, 'inner', { one: says('one'), two: gated('two') });
      projectWorkflow(machine, 'outer', { a: says('a'), b: { agent: 'nested' }, c: says('c') });
      const busy = await start(machine, 'inner');
      await until('the slot is taken', () => ran().includes('two'));
      const id = await start(machine, 'outer');
      const child = await untilChild(machine, id, 2);
      const db = new Database(join(machine.root, 'store.db'));
      db.prepare("UPDATE thread SET worker='apart' WHERE id=? AND status='queued'").run(child);
      db.close();
      await machine.uwf(['thread', 'kill', busy]);
      await until(
        'the nested step runs',
        () => ran().filter((line) => line === 'two').length === 2,
      );
      const pid = await untilOwned(machine, child);
      expect(pid).not.toBe(await untilOwned(machine, id));
      return { id, child, pid };
    }

    it('the parent goes on with it in a new one', async () => {
      const { id, child, pid } = await apart();
      process.kill(pid, 'SIGKILL');
      await until('the step runs again', () => ran().filter((line) => line === 'two').length === 3);
      open();
      const done = await untilStatus(machine, id, 'completed');
      expect(done.steps.map((step) => [step.attempt, step.childThread])).toEqual([
        [1, null],
        [1, child],
        [1, null],
      ]);
      expect(await show(machine, child)).toMatchObject({ status: 'completed' });
    });

    it('a kill of the parent ends both, and one that stands still in bounded time', async () => {
      const { id, child, pid } = await apart();
      stopped = pid;
      process.kill(pid, 'SIGSTOP');
      const began = performance.now();
      expect(await machine.uwf(['thread', 'kill', id])).toMatchObject({ code: 0 });
      expect(performance.now() - began).toBeLessThan(BOUNDED_MS);
      expect(await show(machine, id)).toMatchObject({ status: 'cancelled' });
      expect(await show(machine, child)).toMatchObject({ status: 'cancelled' });
    });

    it('the death of the parent’s leaves it to be found: resume waits for it', async () => {
      const { id, child } = await apart();
      await killWorkerOf(id);
      expect(await show(machine, child)).toMatchObject({ status: 'running' });
      await machine.uwf(['thread', 'resume', id]);
      await until(
        'the parent waits again',
        async () => (await show(machine, id)).steps.length === 3,
      );
      open();
      const done = await untilStatus(machine, id, 'completed');
      expect(done.steps.at(-2)).toMatchObject({ attempt: 2, childThread: child });
      expect(ran().filter((line) => line === 'two')).toHaveLength(2);
    });
  });

  it(
    `killed at ${KILLS} random moments, every finished step of both is there once`,
    async () => {
      configure(machine, { agents: { nested: nests('inner') } });
      const slow = (what: string) => ({
        run: `echo ${what} >> "${trace}"; sleep 0.4; echo '{"$status":"ok"}'`,
      });
      const inner = Array.from({ length: INNER_STEPS }, (_, n) => [`i${n}`, slow(`i${n}`)]);
      projectWorkflow(machine, 'inner', Object.fromEntries(inner));
      const outer = { b0: { agent: 'nested' }, m: slow('m'), b1: { agent: 'nested' } };
      projectWorkflow(machine, 'outer', outer);
      for (let kills = 0; kills < KILLS; ) kills += await killWhileRunning(KILLS - kills);
    },
    KILLS * KILL_MAX_MS,
  );

  async function killWhileRunning(max: number): Promise<number> {
    writeFileSync(trace, '');
    const id = await start(machine, 'outer');
    let kills = 0;
    let thread = await show(machine, id);
    while (kills < max && thread.status !== 'completed') {
      await sleep(Math.random() * KILL_WITHIN_MS);
      const { owner } = await show(machine, id);
      if (owner !== null) {
        process.kill(owner.pid, 'SIGKILL');
        kills++;
      }
      thread = await untilStatus(machine, id, 'interrupted', 'completed');
      if (thread.status === 'interrupted')
        expect(await machine.uwf(['thread', 'resume', id])).toMatchObject({ code: 0 });
    }
    thread = await untilStatus(machine, id, 'completed');
    expect(thread.stepCount).toBe(OUTER_STEPS);
    const children = new Set(
      thread.steps.map((step) => step.childThread).filter((c) => c !== null),
    );
    expect(children.size).toBe(2);
    const nested = await Promise.all([...children].map((child) => show(machine, child!)));
    for (const child of nested)
      expect(child).toMatchObject({ status: 'completed', stepCount: INNER_STEPS });
    expectRunsWithinAttempts([thread, ...nested]);
    return kills;
  }

  /** What has committed was run by its last attempt, and nothing ran without an attempt that says so. */
  function expectRunsWithinAttempts(threads: ThreadJson[]): void {
    const attempts = new Map<string, number>();
    for (const { steps } of threads)
      for (const { role } of steps) attempts.set(role, (attempts.get(role) ?? 0) + 1);
    const runs = new Map<string, number>();
    for (const line of ran()) runs.set(line, (runs.get(line) ?? 0) + 1);
    for (const [role, count] of runs) expect(count).toBeLessThanOrEqual(attempts.get(role) ?? 0);
  }
});
