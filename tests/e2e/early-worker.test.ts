import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processesWith } from '../support/processes.js';
import { untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { oneScript, writeWorkflow } from '../support/workflows.js';

const UWF = fileURLToPath(new URL('../../agent-node/bin/uwf.js', import.meta.url));

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.dispose());

const workers = () => processesWith(`worker.js\0${machine.root}\0`);

describe('a worker that loads while `run` still reads', () => {
  it('goes when there is nothing to run after all', async () => {
    expect(await machine.uwf(['run', 'absent'])).toMatchObject({ code: 3 });
    expect(await machine.json(['thread', 'list'])).toMatchObject({ items: [] });
    await until('no worker is left', () => workers().length === 0);
  });

  it('goes when `run` is killed before it has read its prompt', async () => {
    const file = writeWorkflow(machine.cwd, 'one', oneScript('one', 'true'));
    const { cwd, env } = machine;
    const run = spawn(process.execPath, [UWF, 'run', file, '--prompt', '-'], { cwd, env });
    await until('a worker stands by', () => workers().length === 1);
    run.kill('SIGKILL');
    await until('no worker is left', () => workers().length === 0);
    expect(await machine.json(['thread', 'list'])).toMatchObject({ items: [] });
  });

  it('does the work, and is the only one', async () => {
    const file = writeWorkflow(machine.cwd, 'one', oneScript('one', 'sleep 600'));
    const ids = (await Promise.all([1, 2, 3].map(() => machine.uwf(['run', file])))).map(
      ({ code, stdout }) => {
        expect(code).toBe(0);
        return stdout.trim();
      },
    );
    for (const id of ids) await untilStatus(machine, id, 'running');
    await until('one worker is left', () => workers().length === 1);
    for (const id of ids)
      expect(await machine.uwf(['thread', 'kill', id])).toMatchObject({ code: 0 });
  });
});
