import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultCount } from '../support/fault-counts.js';
import { isAlive } from '../support/processes.js';
import { show, startChain, type ThreadJson, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { chain, writeWorkflow } from '../support/workflows.js';

const STEPS = 20;
/** Random moments at which the worker dies. */
const KILLS = faultCount({ reduced: 30, full: 300 });
/** The longest a kill waits after a resume: a few steps. */
const KILL_WITHIN_MS = 150;
/** Of one kill with all that is looked at after it, ms, on a machine that has other things to do. */
const KILL_MAX_MS = 20_000;

describe('a worker killed with SIGKILL', () => {
  let machine: Machine;
  beforeEach(() => {
    machine = createMachine();
  });
  afterEach(() => machine.dispose());

  it(
    `loses nothing that was reported and repeats nothing that was finished, killed at ${KILLS} random moments`,
    async () => {
      let kills = 0;
      for (let round = 1; kills < KILLS; round++)
        kills += await killWhileRunning(round, KILLS - kills);
      expect(kills).toBe(KILLS);
      expect(await machine.json(['cas', 'verify'])).toMatchObject({ damagedCount: 0 });
    },
    KILLS * KILL_MAX_MS,
  );

  /** One thread, killed at most so often; returns how often it was. Few kills hit it once it nears its end. */
  async function killWhileRunning(round: number, max: number): Promise<number> {
    const trace = join(machine.cwd, `trace-${round}`);
    const id = await startChain(
      machine,
      `chain-${round}`,
      STEPS,
      (n) => `echo ${n} >> "${trace}"; sleep 0.03; echo '{"$status":"ok","n":${n}}'`,
    );
    const reported = new Map<number, string>();
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
      remember(reported, thread);
      if (thread.status === 'interrupted')
        expect(await machine.uwf(['thread', 'resume', id])).toMatchObject({ code: 0 });
    }
    thread = await untilStatus(machine, id, 'completed');
    remember(reported, thread);
    expectWhole(thread, readFileSync(trace, 'utf8'));
    return kills;
  }

  /** The same chain as that of an undisturbed run, each step once, and no more runs than attempts. */
  function expectWhole(thread: ThreadJson, trace: string): void {
    const numbers = Array.from({ length: STEPS }, (_, index) => index + 1);
    const committed = thread.steps.filter((step) => step.status === 'committed');
    expect(committed.map((step) => step.seq)).toEqual(numbers);
    expect(committed.map((step) => step.meta)).toEqual(numbers.map((n) => ({ $status: 'ok', n })));
    expect(thread.stepCount).toBe(STEPS);
    for (const step of committed) {
      const attempts = thread.steps
        .filter((other) => other.seq === step.seq)
        .map((other) => other.attempt);
      expect(attempts).toEqual(Array.from({ length: attempts.length }, (_, index) => index + 1));
      expect(step.attempt).toBe(attempts.length);
      const runs = trace.split('\n').filter((line) => line === String(step.seq)).length;
      expect(runs).toBeLessThanOrEqual(attempts.length);
    }
  }

  it('is noticed within a second, and the step in flight runs again as attempt 2', async () => {
    const gate = join(machine.cwd, 'gate');
    const script = `echo started >> "${gate}.started"; while [ ! -e "${gate}" ]; do sleep 0.02; done; echo '{"$status":"ok"}'`;
    const id = await startChain(machine, 'gated', 1, () => script);
    await until('the script runs', () => existsSync(`${gate}.started`));
    const { owner } = await show(machine, id);
    process.kill(owner!.pid, 'SIGKILL');
    await until(
      'the owner is gone',
      async () => (await show(machine, id)).status === 'interrupted',
      1_000,
    );
    await machine.uwf(['thread', 'resume', id]);
    await until(
      'the script runs again',
      () => readFileSync(`${gate}.started`, 'utf8').split('\n').length === 3,
    );
    writeFileSync(gate, '');
    const thread = await untilStatus(machine, id, 'completed');
    expect(thread.steps.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 'interrupted'],
      [2, 'committed'],
    ]);
  });

  it('leaves the script of its step behind, which the next attempt ends before it starts', async () => {
    const pids = join(machine.cwd, 'pids');
    const script = `echo $$ >> "${pids}"; if [ "$(wc -l < "${pids}")" = 1 ]; then sleep 600; fi; echo '{"$status":"ok"}'`;
    const id = await startChain(machine, 'left', 1, () => script);
    const [first] = await until('the script runs', () =>
      existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n') : null,
    );
    process.kill((await show(machine, id)).owner!.pid, 'SIGKILL');
    await untilStatus(machine, id, 'interrupted');
    expect(isAlive(Number(first))).toBe(true);
    await machine.uwf(['thread', 'resume', id]);
    await untilStatus(machine, id, 'completed');
    expect(isAlive(Number(first))).toBe(false);
  });

  function remember(reported: Map<number, string>, thread: ThreadJson): void {
    for (const step of thread.steps) {
      if (step.status !== 'committed' || step.hash === null) continue;
      const earlier = reported.get(step.seq);
      if (earlier !== undefined) expect(step.hash).toBe(earlier);
      reported.set(step.seq, step.hash);
    }
    for (const [seq, hash] of reported) {
      expect(thread.steps.some((step) => step.seq === seq && step.hash === hash)).toBe(true);
    }
  }
});

describe('a thread whose starter was killed before it could start a worker', () => {
  it('waits in the queue and goes on with resume', async () => {
    const machine = createMachine({ ownerWaitMs: 200 });
    try {
      const workers = join(machine.root, 'logs', 'workers');
      mkdirSync(join(machine.root, 'logs'), { recursive: true });
      writeFileSync(workers, 'in the way of a log');
      const file = writeWorkflow(
        machine.cwd,
        'orphan',
        chain('orphan', 1, () => 'true'),
      );
      expect((await machine.uwf(['run', file])).code).toBe(1);
      rmSync(workers);
      const { items } = await machine.json<{ items: { threadId: string; status: string }[] }>([
        'thread',
        'list',
      ]);
      expect(items).toMatchObject([{ status: 'queued' }]);
      const { threadId } = items[0]!;
      let said = '';
      const watched = machine.uwf(['live', threadId], {
        onStderr: (text) => {
          said += text;
        },
      });
      await until('live says what to do', () => said.includes(`uwf thread resume ${threadId}`));
      expect(await machine.uwf(['thread', 'resume', threadId])).toMatchObject({ code: 0 });
      await untilStatus(machine, threadId, 'completed');
      expect(await watched).toMatchObject({ code: 0 });
    } finally {
      await machine.dispose();
    }
  });
});

describe('two resumes at once', () => {
  it('give one owner; the other exits 4 and names it', async () => {
    const machine = createMachine();
    try {
      const gate = join(machine.cwd, 'gate');
      const script = `while [ ! -e "${gate}" ]; do sleep 0.02; done`;
      const id = await startChain(machine, 'gated', 1, () => script);
      const pid = await until('it runs', async () => (await show(machine, id)).owner?.pid);
      process.kill(pid, 'SIGKILL');
      await untilStatus(machine, id, 'interrupted');
      const results = await Promise.all([
        machine.uwf(['thread', 'resume', id]),
        machine.uwf(['thread', 'resume', id]),
      ]);
      const codes = results.map((result) => result.code).sort();
      expect(codes).toEqual([0, 4]);
      const owner = await until('it runs again', async () => (await show(machine, id)).owner?.pid);
      const loser = results.find((result) => result.code === 4);
      expect(loser?.stderr).toContain(String(owner));
    } finally {
      await machine.dispose();
    }
  });
});
