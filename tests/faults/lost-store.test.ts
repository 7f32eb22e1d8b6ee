import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '../support/processes.js';
import { start, untilOwned } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { oneScript, writeWorkflow } from '../support/workflows.js';

describe('a worker whose store is removed', () => {
  let machine: Machine;
  beforeEach(() => {
    machine = createMachine();
  });
  afterEach(() => machine.dispose());

  it('ends what its threads have running, says so in its log, and goes', async () => {
    const pidFile = join(machine.cwd, 'pid');
    const script = `echo $$ > "${pidFile}"; sleep 600; true`;
    const id = await start(machine, writeWorkflow(machine.cwd, 'long', oneScript('long', script)));
    const worker = await untilOwned(machine, id);
    await until('the script runs', () => existsSync(pidFile));
    const pid = Number(readFileSync(pidFile, 'utf8'));

    for (const name of readdirSync(machine.root).filter((file) => file.startsWith('store.db')))
      renameSync(join(machine.root, name), join(machine.cwd, name));

    await until('the script is gone', () => !isAlive(pid));
    await until('the worker is gone', () => !isAlive(worker));
    const log = readFileSync(join(machine.root, 'logs', 'workers', 'definitions.log'), 'utf8');
    expect(log).toContain('was removed or replaced while threads were running');
  });
});
