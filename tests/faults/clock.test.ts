import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { show, startChain, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';

/** Each starts a dozen processes, on two cores that others use too. */
const TEST_MAX_MS = 90_000;
const BACK_MS = 10 * 60_000;

describe('a clock that is set back while a thread runs', { timeout: TEST_MAX_MS }, () => {
  let machine: Machine;
  let back: string;
  let gate: string;
  beforeEach(() => {
    machine = createMachine();
    back = join(machine.cwd, 'back');
    gate = join(machine.cwd, 'gate');
    const shift = join(machine.cwd, 'shift.cjs');
    // As the system does it: every process of this machine sees the earlier time from one moment on.
    writeFileSync(
      shift,
      `const { existsSync } = require('node:fs');
       const now = Date.now;
       Date.now = () => now() - (existsSync(${JSON.stringify(back)}) ? ${BACK_MS} : 0);`,
    );
    machine.env.NODE_OPTIONS = `--require ${shift}`;
  });
  afterEach(() => machine.dispose());

  it('leaves the order of steps and events, and makes no duration negative', async () => {
    const id = await startChain(machine, 'chain', 4, (n) =>
      n === 2
        ? `touch "${gate}.waits"; while [ ! -e "${gate}" ]; do sleep 0.02; done; echo '{"$status":"ok"}'`
        : `echo '{"$status":"ok"}'`,
    );
    await until('the second step runs', () => existsSync(`${gate}.waits`));
    writeFileSync(back, '');
    writeFileSync(gate, '');
    const thread = await untilStatus(machine, id, 'completed');
    expect(thread.steps.map((step) => step.seq)).toEqual([1, 2, 3, 4]);
    for (const { startedAt, committedAt } of thread.steps)
      expect(Date.parse(committedAt!)).toBeGreaterThanOrEqual(Date.parse(startedAt));
    expect(Date.parse(thread.steps[2]!.startedAt)).toBeLessThan(
      Date.parse(thread.steps[1]!.startedAt),
    );
    expect(Date.parse(thread.endedAt!)).toBeGreaterThanOrEqual(Date.parse(thread.startedAt!));
    expect(Date.parse(thread.updatedAt)).toBeGreaterThanOrEqual(Date.parse(thread.createdAt));
    for (const { hash } of thread.steps) {
      const { payload } = await machine.json<{ payload: { startedAt: number; timestamp: number } }>(
        ['cas', 'get', hash!],
      );
      expect(payload.timestamp).toBeGreaterThanOrEqual(payload.startedAt);
    }
    const end = await machine.json<{ payload: { startedAt: number; timestamp: number } }>([
      'cas',
      'get',
      thread.head,
    ]);
    expect(end.payload.timestamp).toBeGreaterThanOrEqual(end.payload.startedAt);

    const lines = (await machine.uwf(['live', id, '--json'])).stdout.trim().split('\n');
    const seqs = lines.map((line) => JSON.parse(line).seq).filter((seq) => typeof seq === 'number');
    expect(seqs.length).toBeGreaterThan(8);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    for (const args of [
      ['thread', 'show', id],
      ['thread', 'list'],
      ['step', 'list', id],
      ['live', id],
    ]) {
      const { stdout } = await machine.uwf(args);
      expect(stdout).not.toMatch(/(^|\s)-\d/m);
    }
  });

  it('keeps neither a lease nor a resume from working', async () => {
    const id = await startChain(machine, 'chain', 2, (n) =>
      n === 1 ? `touch "${gate}.waits"; while [ ! -e "${gate}" ]; do sleep 0.02; done` : 'true',
    );
    await until('the first step runs', () => existsSync(`${gate}.waits`));
    writeFileSync(back, '');
    process.kill((await show(machine, id)).owner!.pid, 'SIGKILL');
    const interrupted = await untilStatus(machine, id, 'interrupted');
    expect(Date.parse(interrupted.steps[0]!.committedAt!)).toBeGreaterThanOrEqual(
      Date.parse(interrupted.steps[0]!.startedAt),
    );
    writeFileSync(gate, '');
    expect(await machine.uwf(['thread', 'resume', id])).toMatchObject({ code: 0 });
    const done = await untilStatus(machine, id, 'completed');
    expect(done.steps.map(({ seq, attempt }) => [seq, attempt])).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
  });
});
