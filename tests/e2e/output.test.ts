import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StepJson, show, start, untilStatus } from '../support/threads.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { oneScript, writeWorkflow } from '../support/workflows.js';

describe('output of a script', () => {
  let machine: Machine;
  beforeAll(() => {
    machine = createMachine();
  });
  afterAll(() => machine.dispose());

  async function runScript(name: string, script: string): Promise<StepJson> {
    const id = await start(machine, writeWorkflow(machine.cwd, name, oneScript(name, script)));
    const thread = await untilStatus(machine, id, 'completed', 'failed');
    expect(thread).toMatchObject({ status: 'completed', problem: null });
    expect(thread.steps).toHaveLength(1);
    return thread.steps[0]!;
  }

  const raw = async (step: StepJson) =>
    (await machine.uwf(['step', 'show', step.hash!, '--raw'])).stdout;

  it('that is empty is stored and shown as empty, not as a problem', async () => {
    const step = await runScript('nothing', 'true');
    expect(step).toMatchObject({ content: '', contentSize: 0, meta: { $status: 'ok' } });
    expect((await machine.uwf(['step', 'show', step.hash!])).code).toBe(0);
    const live = await machine.uwf(['live', '--latest']);
    expect(live.code).toBe(0);
    expect(live.stdout).toContain('(no output)');
  });

  it('of 50 MB is stored whole, and shown by its beginning', async () => {
    const step = await runScript('huge', `yes 0123456789abcdef0123456789abcde | head -c 50000000`);
    expect(step.contentSize).toBe(50_000_000);
    const text = await raw(step);
    const expected = createHash('sha256')
      .update('0123456789abcdef0123456789abcde\n'.repeat(1_562_500))
      .digest('hex');
    expect(createHash('sha256').update(text).digest('hex')).toBe(expected);
    const live = await machine.uwf(['live', '--latest']);
    expect(live.stdout.length).toBeLessThan(10_000);
    expect(live.stdout).toContain('50000000 bytes in all');
  });

  it('with NULs keeps them, and a terminal sees none', async () => {
    const step = await runScript('nuls', `printf 'a\\000b\\000'`);
    expect(step.content).toBe('a\0b\0');
    expect(await raw(step)).toBe('a\0b\0');
    const shown = await machine.uwf(['step', 'show', step.hash!]);
    expect(shown.stdout).not.toContain('\0');
  });

  it('that is not UTF-8 is kept byte for byte', async () => {
    const step = await runScript('latin', `printf 'caf\\351 \\377\\376'`);
    const shown = await machine.uwf(['step', 'show', step.hash!, '--raw']);
    expect([...shown.stdoutBytes]).toEqual([...Buffer.from('caf\xe9 \xff\xfe', 'latin1')]);
    expect(step.content).toBe('caf\uFFFD \uFFFD\uFFFD');
  });

  it('with a character cut between two writes has the character whole', async () => {
    const step = await runScript('cut', `printf '\\342\\202'; sleep 0.2; printf '\\254 ok'`);
    expect(step.content).toBe('€ ok');
  });

  it('with terminal codes reaches a terminal without them', async () => {
    const step = await runScript(
      'codes',
      `printf '\\033[31mred\\033[0m \\033]0;title\\007 1%%\\r2%%\\rdone\\n'`,
    );
    const shown = await machine.uwf(['step', 'show', step.hash!]);
    expect(shown.stdout).not.toMatch(/[\u001b\u0007\r]/);
    expect(shown.stdout).toContain('done');
  });

  it('beyond the limit fails the step and ends the script', async () => {
    const id = await start(
      machine,
      writeWorkflow(machine.cwd, 'flood', oneScript('flood', 'yes 0123456789abcdef')),
    );
    const thread = await untilStatus(machine, id, 'failed');
    expect(thread.problem).toMatchObject({ code: 'output-too-large' });
    expect(thread.steps[0]).toMatchObject({ status: 'failed' });
  });

  it('is followed by the answer of its last line', async () => {
    const step = await runScript('answer', `echo working; echo '{"$status":"ok","count":3}'`);
    expect(step.meta).toEqual({ $status: 'ok', count: 3 });
  });
});

describe('a script without a home', () => {
  it('runs, and uwf keeps its store where the system says', async () => {
    const machine = createMachine();
    try {
      const file = writeWorkflow(
        machine.cwd,
        'homeless',
        oneScript('homeless', 'echo "home=${HOME-unset}"'),
      );
      const { HOME: _, ...env } = machine.env;
      machine.env = env;
      const id = await start(machine, file);
      expect((await untilStatus(machine, id, 'completed')).steps[0]?.content).toContain('home=');
      expect(await show(machine, id)).toMatchObject({ status: 'completed' });
    } finally {
      await machine.dispose();
    }
  });
});
