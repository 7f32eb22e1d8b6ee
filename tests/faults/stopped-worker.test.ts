import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '../support/processes.js';
import { show, startChain, untilOwned, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';

describe('a worker stopped past its lease', () => {
  let machine: Machine;
  let stopped: number | null = null;
  beforeEach(() => {
    machine = createMachine({ deadAfterMs: 1_000, renewEveryMs: 100 });
  });
  afterEach(async () => {
    if (stopped !== null && isAlive(stopped)) process.kill(stopped, 'SIGKILL');
    stopped = null;
    await machine.dispose();
  });

  it('loses the thread to another, and what it does later is refused', async () => {
    const gate = join(machine.cwd, 'gate');
    const runs = join(machine.cwd, 'runs');
    const script = `echo $$ >> "${runs}"; while [ ! -e "${gate}" ]; do sleep 0.02; done; echo '{"$status":"ok"}'`;
    const id = await startChain(machine, 'held', 2, () => script);
    const first = await untilOwned(machine, id);
    await until('the script runs', () => existsSync(runs));
    stopped = first;
    process.kill(first, 'SIGSTOP');
    await untilStatus(machine, id, 'interrupted');

    expect(await machine.uwf(['thread', 'resume', id])).toMatchObject({ code: 0 });
    const second = await untilOwned(machine, id);
    expect(second).not.toBe(first);
    await until(
      'the script runs again',
      () => readFileSync(runs, 'utf8').trim().split('\n').length === 2,
    );

    process.kill(first, 'SIGCONT');
    writeFileSync(gate, '');
    const thread = await untilStatus(machine, id, 'completed', 'failed');
    expect(thread).toMatchObject({ status: 'completed', stepCount: 2 });
    expect(thread.steps.map(({ seq, attempt, status }) => [seq, attempt, status])).toEqual([
      [1, 1, 'interrupted'],
      [1, 2, 'committed'],
      [2, 1, 'committed'],
    ]);
    await until('the first worker has gone by itself', () => !isAlive(first));
    expect((await show(machine, id)).status).toBe('completed');
  });

  it('does not hold up threads that are started after it', async () => {
    const gate = join(machine.cwd, 'gate');
    const script = `while [ ! -e "${gate}" ]; do sleep 0.02; done`;
    const held = await startChain(machine, 'held', 1, () => script);
    stopped = await untilOwned(machine, held);
    process.kill(stopped, 'SIGSTOP');
    await untilStatus(machine, held, 'interrupted');
    const quick = await startChain(machine, 'quick', 1, () => 'true');
    await untilStatus(machine, quick, 'completed');
  });
});
