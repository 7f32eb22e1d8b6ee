import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive, processesWith } from '../support/processes.js';
import { show, start, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { oneScript, writeWorkflow } from '../support/workflows.js';

describe('killing a thread', () => {
  let machine: Machine;
  beforeEach(() => {
    machine = createMachine();
  });
  afterEach(() => machine.dispose());

  /** A script that writes the pids of what it starts, then waits. */
  async function startTree(
    script: string,
    expected: number,
  ): Promise<{ id: string; pids: number[] }> {
    const file = join(machine.cwd, 'pids');
    const id = await start(
      machine,
      writeWorkflow(machine.cwd, 'tree', oneScript('tree', script.replaceAll('PIDS', file))),
    );
    const pids = await until(`${expected} processes`, () => {
      const found = existsSync(file)
        ? readFileSync(file, 'utf8').trim().split('\n').map(Number)
        : [];
      return found.length === expected && found.every(isAlive) && found;
    });
    return { id, pids };
  }

  it('ends grandchildren, children in sessions of their own, and those that ignore TERM', async () => {
    const { id, pids } = await startTree(
      `echo $$ >> PIDS
       sh -c 'echo $$ >> PIDS; sh -c "echo \\$\\$ >> PIDS; sleep 601; true"; true' &
       setsid sh -c 'echo $$ >> PIDS; sleep 602; true' &
       setsid sh -c 'trap "" TERM; echo $$ >> PIDS; while true; do sleep 0.1; done' &
       wait`,
      5,
    );
    const killed = await machine.uwf(['thread', 'kill', id]);
    expect(killed).toMatchObject({ code: 0, stderr: '' });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(processesWith(`UWF_STEP=${id}`)).toEqual([]);
    const thread = await show(machine, id);
    expect(thread).toMatchObject({ status: 'cancelled', returnCode: 130 });
    expect(thread.steps.map(({ status, attempt }) => [status, attempt])).toEqual([
      ['cancelled', 1],
    ]);
  });

  it('whose worker is gone ends what the worker left running', async () => {
    const { id, pids } = await startTree(
      `echo $$ >> PIDS; setsid sh -c 'echo $$ >> PIDS; sleep 603; true' & wait`,
      2,
    );
    process.kill((await show(machine, id)).owner!.pid, 'SIGKILL');
    await untilStatus(machine, id, 'interrupted');
    expect(pids.every(isAlive)).toBe(true);
    expect(await machine.uwf(['thread', 'kill', id])).toMatchObject({ code: 0 });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await show(machine, id)).toMatchObject({ status: 'cancelled', returnCode: 130 });
  });

  it('is refused when it is over, and says so', async () => {
    const id = await start(
      machine,
      writeWorkflow(machine.cwd, 'quick', oneScript('quick', 'true')),
    );
    await untilStatus(machine, id, 'completed');
    const again = await machine.uwf(['thread', 'kill', id]);
    expect(again.code).toBe(4);
    expect(again.stderr).toContain('completed');
  });

  it('not obeyed in time takes the whole worker down, and still ends as cancelled with nothing left', async () => {
    const limits = { killGraceMs: 3_000, killObeyedMs: 500, renewEveryMs: 100 };
    machine.env.UWF_LIMITS = JSON.stringify(limits);
    const { id } = await startTree(
      `trap '' TERM; echo $$ >> PIDS; while true; do sleep 0.1; done`,
      1,
    );
    const owner = (await show(machine, id)).owner!.pid;
    const kill = machine.uwf(['thread', 'kill', id]);
    await until(
      'the worker is gone before the grace is over',
      () => !isAlive(owner),
      limits.killGraceMs,
    );
    expect(await kill).toMatchObject({ code: 0 });
    expect(await show(machine, id)).toMatchObject({ status: 'cancelled', returnCode: 130 });
    expect(processesWith(`UWF_STEP=${id}`)).toEqual([]);
  });
});

describe('TERM of a worker', () => {
  it('ends its agents and leaves the thread interrupted, to be resumed', async () => {
    const machine = createMachine();
    try {
      const mark = join(machine.cwd, 'mark');
      const script = `if [ -e "${mark}" ]; then exit 0; fi; echo $$ > "${mark}"; sleep 605`;
      const id = await start(
        machine,
        writeWorkflow(machine.cwd, 'term', oneScript('term', script)),
      );
      const pid = await until('the script runs', () =>
        existsSync(mark) ? Number(readFileSync(mark, 'utf8')) : null,
      );
      process.kill((await show(machine, id)).owner!.pid, 'SIGTERM');
      await untilStatus(machine, id, 'interrupted');
      expect(isAlive(pid)).toBe(false);
      expect(await machine.uwf(['thread', 'resume', id])).toMatchObject({ code: 0 });
      await untilStatus(machine, id, 'completed');
    } finally {
      await machine.dispose();
    }
  });
});
