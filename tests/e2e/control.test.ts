import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { show, start, untilOwned, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { chain, oneScript, writeWorkflow } from '../support/workflows.js';

describe('steering a thread', () => {
  let machine: Machine;
  let gate: string;
  beforeEach(() => {
    machine = createMachine();
    gate = join(machine.cwd, 'gate');
  });
  afterEach(() => machine.dispose());

  /** A chain whose second step waits until the gate is open. */
  const gated = () =>
    writeWorkflow(
      machine.cwd,
      'gated',
      chain('gated', 3, (n) =>
        n === 2 ? `while [ ! -e "${gate}" ]; do sleep 0.02; done` : 'true',
      ),
    );
  const open = () => writeFileSync(gate, '');
  const untilRole = (id: string, role: string) =>
    until(`${id} is at ${role}`, async () => (await show(machine, id)).role === role);

  it('pause lets the step in flight finish, and resume goes on behind it', async () => {
    const id = await start(machine, gated());
    await untilRole(id, 's2');
    expect(await machine.uwf(['thread', 'pause', id])).toMatchObject({
      code: 0,
      stdout: `pause sent for thread ${id}\n`,
    });
    expect(await show(machine, id)).toMatchObject({ status: 'running', desired: 'pause' });
    open();
    const paused = await untilStatus(machine, id, 'paused');
    expect(paused).toMatchObject({ reason: 'user', stepCount: 2, owner: null });
    expect((await machine.uwf(['live', id])).code).toBe(1);
    expect((await machine.uwf(['thread', 'pause', id])).code).toBe(4);
    expect((await machine.uwf(['thread', 'resume', id])).code).toBe(0);
    const done = await untilStatus(machine, id, 'completed');
    expect(done.steps.map((step) => [step.seq, step.attempt])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
  });

  it('a pause can be taken back while the step in flight still goes on', async () => {
    const id = await start(machine, gated());
    await untilRole(id, 's2');
    await machine.uwf(['thread', 'pause', id]);
    expect((await machine.uwf(['thread', 'resume', id])).code).toBe(0);
    expect(await show(machine, id)).toMatchObject({ status: 'running', desired: 'run' });
    open();
    await untilStatus(machine, id, 'completed');
  });

  it('a limit of steps pauses with its reason, and goes on only when it is raised', async () => {
    open();
    const id = await start(machine, gated(), '--max-steps', '1');
    const standing = { status: 'paused', reason: 'max-steps', stepCount: 1 };
    expect(await untilStatus(machine, id, 'paused')).toMatchObject(standing);
    for (const raise of [[], ['--max-steps', '1']]) {
      const refused = await machine.uwf(['thread', 'resume', id, ...raise]);
      expect(refused.code).toBe(4);
      expect(refused.stderr).toContain('--max-steps 2');
    }
    expect(await show(machine, id)).toMatchObject(standing);
    expect((await machine.uwf(['thread', 'resume', id, '--max-steps', '3'])).code).toBe(0);
    expect(await untilStatus(machine, id, 'completed')).toMatchObject({ stepCount: 3 });
  });

  it('retry goes on in a failed thread with the next attempt', async () => {
    const script = `[ -e "${gate}" ] || { echo '{"$status":1}'; exit 0; }; echo '{"$status":"ok"}'`;
    const workflow = JSON.parse(oneScript('flaky', script));
    workflow.roles.work.frontmatter = {
      type: 'object',
      required: ['$status'],
      properties: { $status: { enum: ['ok'] } },
    };
    const id = await start(machine, writeWorkflow(machine.cwd, 'flaky', JSON.stringify(workflow)));
    const failed = await untilStatus(machine, id, 'failed');
    expect(failed).toMatchObject({
      retryable: true,
      returnCode: null,
      problem: { code: 'answer-invalid' },
    });
    expect((await machine.uwf(['thread', 'resume', id])).code).toBe(4);
    open();
    expect((await machine.uwf(['thread', 'retry', id])).code).toBe(0);
    const done = await untilStatus(machine, id, 'completed');
    expect(done.steps.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 'failed'],
      [2, 'committed'],
    ]);
    expect((await machine.uwf(['thread', 'retry', id])).code).toBe(4);
  });

  it('retry is for what failed: a paused thread is left as it is, with the word for it', async () => {
    open();
    const id = await start(machine, gated(), '--max-steps', '1');
    await untilStatus(machine, id, 'paused');
    const refused = await machine.uwf(['thread', 'retry', id, '--max-steps', '9']);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(`uwf thread resume ${id}`);
    expect((await show(machine, id)).status).toBe('paused');
  });

  it('a running thread is not removed; one that is over is, and is unknown afterwards', async () => {
    const id = await start(machine, gated());
    await untilOwned(machine, id);
    expect((await machine.uwf(['thread', 'rm', id])).code).toBe(4);
    open();
    await untilStatus(machine, id, 'completed');
    expect(await machine.uwf(['thread', 'rm', id])).toMatchObject({
      code: 0,
      stdout: `removed thread ${id}\n`,
    });
    expect((await machine.uwf(['thread', 'show', id])).code).toBe(3);
  });

  it('threads beyond the limit of the node wait in the queue, and each gets its turn', async () => {
    mkdirSync(machine.root, { recursive: true });
    writeFileSync(
      join(machine.root, 'workflow.yaml'),
      'config:\n  concurrency: { node: 2 }\nworkflows: {}\n',
    );
    const file = gated();
    const ids = await Promise.all([1, 2, 3, 4].map(() => start(machine, file)));
    const statuses = () => Promise.all(ids.map(async (id) => (await show(machine, id)).status));
    await until(
      'two run',
      async () => (await statuses()).filter((status) => status === 'running').length === 2,
    );
    expect((await statuses()).filter((status) => status === 'queued')).toHaveLength(2);
    open();
    for (const id of ids) await untilStatus(machine, id, 'completed');
  });

  it('a workflow.yaml broken by an edit does not disturb what runs and what waits', async () => {
    const config = join(machine.root, 'workflow.yaml');
    mkdirSync(machine.root, { recursive: true });
    writeFileSync(config, 'config:\n  concurrency: { node: 1 }\nworkflows: {}\n');
    const file = gated();
    const first = await start(machine, file);
    const second = await start(machine, file);
    await untilOwned(machine, first);
    writeFileSync(config, 'config: {');
    open();
    await untilStatus(machine, first, 'completed');
    await untilStatus(machine, second, 'completed');
    const refused = await machine.uwf(['run', file]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('workflow.yaml');
    writeFileSync(config, '');
  });

  it('twenty starts at once with readers all succeed', async () => {
    open();
    const file = gated();
    const starts = Array.from({ length: 20 }, () => machine.uwf(['run', file]));
    const reads = Array.from({ length: 10 }, () => machine.uwf(['thread', 'list', '--json']));
    for (const result of await Promise.all([...starts, ...reads])) {
      expect(result.stderr).not.toContain('locked');
      expect(result.code).toBe(0);
    }
    const ids = (await machine.json<{ items: { threadId: string }[] }>(['thread', 'list'])).items;
    expect(ids).toHaveLength(20);
    for (const { threadId } of ids) await untilStatus(machine, threadId, 'completed');
  }, 120_000);

  it('--wait tells by its exit code how the thread ended', async () => {
    open();
    const ok = await machine.uwf(['run', gated(), '--wait']);
    expect(ok.code).toBe(0);
    expect(ok.stdout).toMatch(/^[0-9A-Z]{26}\ncompleted: returnCode=0 — all done\n$/);
    const bad = await machine.uwf([
      'run',
      writeWorkflow(machine.cwd, 'bad', oneScript('bad', 'exit 1')),
      '--wait',
    ]);
    expect(bad.code).toBe(1);
    // The step is committed: trying again would ask the same graph for the same way.
    expect(bad.stdout).toContain('correct the workflow');
    const slow = JSON.parse(oneScript('slow', 'sleep 30'));
    slow.roles.work.timeout = '50ms';
    const late = await machine.uwf([
      'run',
      writeWorkflow(machine.cwd, 'slow', JSON.stringify(slow)),
      '--wait',
    ]);
    expect(late.code).toBe(1);
    expect(late.stdout).toContain('uwf thread retry');
  });

  it('resume and retry take --wait too, with the same exit codes and one document with --json', async () => {
    open();
    const id = await start(machine, gated(), '--max-steps', '1');
    await untilStatus(machine, id, 'paused');
    const again = await machine.uwf(['thread', 'resume', id, '--max-steps', '2', '--wait']);
    expect(again).toMatchObject({ code: 1, stderr: '' });
    expect(again.stdout).toBe(
      `resume sent for thread ${id}\npaused (max-steps)\n  to go on: uwf thread resume ${id} --max-steps 4\n`,
    );
    const done = ['thread', 'resume', id, '--max-steps', '9', '--wait'];
    expect(await machine.json(done)).toMatchObject({ status: 'completed', stepCount: 3 });

    const flag = join(machine.cwd, 'flag');
    const script = `[ -e "${flag}" ] || { echo '{"$status":1}'; exit 0; }; echo '{"$status":"ok"}'`;
    const workflow = JSON.parse(oneScript('flaky', script));
    workflow.roles.work.frontmatter = {
      type: 'object',
      required: ['$status'],
      properties: { $status: { enum: ['ok'] } },
    };
    const file = writeWorkflow(machine.cwd, 'flaky', JSON.stringify(workflow));
    const failed = (await machine.uwf(['run', file, '--wait'])).stdout.split('\n')[0]!;
    expect((await show(machine, failed)).status).toBe('failed');
    const still = await machine.uwf(['thread', 'retry', failed, '--wait']);
    expect(still.code).toBe(1);
    expect(still.stdout).toContain(`uwf thread retry ${failed}`);
    writeFileSync(flag, '');
    const well = await machine.uwf(['thread', 'retry', failed, '--wait', '--json']);
    expect(well.code).toBe(0);
    expect(JSON.parse(well.stdout)).toMatchObject({ status: 'completed', returnCode: 0 });
    expect((await machine.uwf(['thread', 'retry', failed, '--wait'])).code).toBe(4);
  });
});
