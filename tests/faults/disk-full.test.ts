import { existsSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processesWith } from '../support/processes.js';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.js';
import { show, start, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { chain, oneScript, writeWorkflow } from '../support/workflows.js';

/** Each starts a dozen processes, on two cores that others use too. */
const TEST_MAX_MS = 90_000;
const OUTPUT_BYTES = 6 * 1024 * 1024;

describe('a disk that becomes full while a thread runs', { timeout: TEST_MAX_MS }, () => {
  let machine: Machine;
  let directory: string;
  let disk: SmallDisk;
  beforeEach(() => {
    machine = createMachine();
    directory = mkdtempSync(join(tmpdir(), 'uwf-disk-'));
    disk = mountSmallDisk(directory, '4m');
    machine.root = join(directory, 'root');
    machine.env.UNCAGED_WORKFLOW_STORAGE_ROOT = machine.root;
  });
  afterEach(async () => {
    disk.grow('64m');
    await machine.dispose();
    disk.remove();
    rmdirSync(directory);
  });

  it('fails the step with the path, keeps what was stored, and the thread goes on once there is room', async () => {
    const big = chain('big', 3, (n) =>
      n === 2
        ? `head -c ${OUTPUT_BYTES} /dev/urandom | base64 -w 0 | head -c ${OUTPUT_BYTES}; echo; echo '{"$status":"ok"}'`
        : `echo '{"$status":"ok","n":${n}}'`,
    );
    const id = await start(machine, writeWorkflow(machine.cwd, 'big', big));
    const failed = await untilStatus(machine, id, 'failed');
    expect(failed).toMatchObject({ problem: { code: 'disk-full' }, retryable: true, stepCount: 1 });
    expect(failed.problem?.message).toContain(machine.root);
    expect(failed.steps[1]).toMatchObject({ status: 'failed', problem: { code: 'disk-full' } });
    expect(failed.steps[0]).toMatchObject({ status: 'committed', meta: { n: 1 } });
    disk.grow('64m');
    expect(await machine.uwf(['thread', 'retry', id])).toMatchObject({ code: 0 });
    const done = await untilStatus(machine, id, 'completed');
    expect(done.steps.map(({ seq, attempt, status }) => [seq, attempt, status])).toEqual([
      [1, 1, 'committed'],
      [2, 1, 'failed'],
      [2, 2, 'committed'],
      [3, 1, 'committed'],
    ]);
    expect(await machine.json(['cas', 'verify'])).toMatchObject({ damagedCount: 0 });
  });

  it('is full even for the news of it: the thread is not lost, and is told failed once there is room', async () => {
    // Something else takes all the space there is before the step ends.
    const filler = join(machine.root, 'filler');
    const script = `[ -e "${machine.cwd}/filled" ] || dd if=/dev/zero of="${filler}" bs=4k 2>/dev/null; touch "${machine.cwd}/filled"; head -c 300000 /dev/urandom | base64 -w 0; echo; echo '{"$status":"ok"}'`;
    const id = await start(machine, writeWorkflow(machine.cwd, 'full', oneScript('full', script)));
    await until('the disk is full', () => existsSync(join(machine.cwd, 'filled')));
    await until('the script is gone', () => processesWith(`UWF_STEP=${id}`).length === 0);
    expect(await show(machine, id)).toMatchObject({ status: 'running', stepCount: 0 });
    rmSync(filler);
    const failed = await untilStatus(machine, id, 'failed');
    expect(failed).toMatchObject({ problem: { code: 'disk-full' }, retryable: true, stepCount: 0 });
    expect(failed.steps).toMatchObject([{ attempt: 1, status: 'failed' }]);
    expect(await machine.uwf(['thread', 'retry', id])).toMatchObject({ code: 0 });
    await untilStatus(machine, id, 'completed');
  });
});
