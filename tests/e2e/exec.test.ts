import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StepJson, ThreadDetail } from '@uncaged/protocol/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { show, start, startChain, untilOwned, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { chain, oneScript, writeWorkflow } from '../support/workflows.js';

type Made = { step: StepJson | null; thread: ThreadDetail };

describe('one step at a time', () => {
  let machine: Machine;
  let gate: string;
  let trace: string;
  beforeEach(() => {
    machine = createMachine();
    gate = join(machine.cwd, 'gate');
    trace = join(machine.cwd, 'trace');
  });
  afterEach(() => machine.dispose());

  const exec = (id: string, ...args: string[]) => machine.uwf(['thread', 'exec', id, ...args]);
  const ran = () => (existsSync(trace) ? readFileSync(trace, 'utf8').trim().split('\n') : []);
  const file = (length: number, script: (n: number) => string = () => 'true') =>
    writeWorkflow(
      machine.cwd,
      'steps',
      chain('steps', length, (n) => `echo ${n} >> "${trace}"; ${script(n)}`),
    );

  it('makes exactly one each time, and the last one ends the thread', async () => {
    const id = await start(machine, file(3), '--stop-after', '1');
    expect(await untilStatus(machine, id, 'paused')).toMatchObject({
      reason: 'user',
      stepCount: 1,
      options: { stopAt: 1 },
    });
    const second = await exec(id);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toMatch(/^\[\d\d:\d\d:\d\d\] ▶ s2 /);
    expect(second.stdout).not.toMatch(/▶ s[13]/);
    expect(second.stdout).toContain(`paused (after step 2)\n  to go on: uwf thread exec ${id}`);
    expect(ran()).toEqual(['1', '2']);
    const third = JSON.parse((await exec(id, '--json')).stdout) as Made;
    expect(third).toMatchObject({
      step: { seq: 3, attempt: 1, role: 's3', status: 'committed' },
      thread: { status: 'completed', stepCount: 3, returnCode: 0 },
    });
    expect(ran()).toEqual(['1', '2', '3']);
    const over = await exec(id);
    expect(over.code).toBe(4);
    expect(over.stderr).toContain('It is over');
  });

  it('run --stop-after with --wait ends with 0 at its step, and resume goes to the end', async () => {
    const stopped = await machine.uwf(['run', file(4), '--stop-after', '2', '--wait']);
    expect(stopped.code).toBe(0);
    expect(stopped.stdout).toContain('paused (after step 2)');
    const id = stopped.stdout.split('\n')[0]!;
    expect((await machine.uwf(['thread', 'resume', id])).code).toBe(0);
    expect(await untilStatus(machine, id, 'completed')).toMatchObject({
      stepCount: 4,
      options: { stopAt: null },
    });
    for (const given of ['0', 'x'])
      expect((await machine.uwf(['run', file(1), '--stop-after', given])).code).toBe(2);
  });

  it('a thread that pauses for another reason than --stop-after ends --wait with 1', async () => {
    const given = ['--stop-after', '3', '--max-steps', '1', '--wait'];
    const limited = await machine.uwf(['run', file(4), ...given]);
    expect(limited.code).toBe(1);
    expect(limited.stdout).toContain('paused (max-steps)');
  });

  it('a fork with --stop-after makes so many steps of its own, and --wait ends with 0', async () => {
    const source = (await machine.uwf(['run', file(4), '--wait'])).stdout.split('\n')[0]!;
    const given = ['--from-step', '1', '--stop-after', '2', '--wait'];
    const forked = await machine.uwf(['thread', 'fork', source, ...given]);
    expect(forked).toMatchObject({ code: 0, stderr: '' });
    expect(forked.stdout).toContain('paused (after step 3)');
    const id = forked.stdout.split('\n')[0]!;
    expect(await show(machine, id)).toMatchObject({ stepCount: 3, options: { stopAt: 3 } });
    // A fork of that one goes on to the end.
    expect((await machine.uwf(['thread', 'fork', id, '--wait'])).stdout).toContain('completed');
  });

  it('of two at once one makes the step; the other is told who does, and changes nothing', async () => {
    const gated = file(4, (n) =>
      n === 2 ? `while [ ! -e "${gate}" ]; do sleep 0.02; done` : 'true',
    );
    const id = await start(machine, gated, '--stop-after', '1');
    await untilStatus(machine, id, 'paused');
    const first = exec(id);
    const owner = await untilOwned(machine, id);
    for (const desired of ['run', 'pause']) {
      if (desired === 'pause') await machine.uwf(['thread', 'pause', id]);
      const second = await exec(id, '--json');
      expect(second.code).toBe(4);
      expect(JSON.parse(second.stderr)).toMatchObject({ code: 'thread-owned' });
      expect(second.stderr).toContain(String(owner));
      expect((await show(machine, id)).desired).toBe(desired);
    }
    writeFileSync(gate, '');
    expect((await first).code).toBe(0);
    expect(await show(machine, id)).toMatchObject({ status: 'paused', stepCount: 2 });
  });

  it('five at once make one step or several, each of them once', async () => {
    const id = await start(machine, file(6), '--stop-after', '1');
    await untilStatus(machine, id, 'paused');
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => exec(id)));
    const made = results.filter(({ code }) => code === 0).length;
    for (const { code } of results) expect([0, 4]).toContain(code);
    expect(made).toBeGreaterThan(0);
    expect(await show(machine, id)).toMatchObject({ stepCount: 1 + made });
    expect(ran()).toEqual(Array.from({ length: 1 + made }, (_, n) => String(n + 1)));
  });

  it('killed in the middle, the next one makes attempt 2 of the same step, and only that', async () => {
    const gated = file(3, (n) =>
      n === 2 ? `while [ ! -e "${gate}" ]; do sleep 0.02; done` : 'true',
    );
    const id = await start(machine, gated, '--stop-after', '1');
    await untilStatus(machine, id, 'paused');
    const first = exec(id);
    const owner = await untilOwned(machine, id);
    await until('step 2 runs', () => ran().length === 2);
    process.kill(owner, 'SIGKILL');
    const killed = await first;
    expect(killed.code).toBe(1);
    expect(killed.stdout).toContain('interrupted');
    writeFileSync(gate, '');
    const again = JSON.parse((await exec(id, '--json')).stdout) as Made;
    expect(again).toMatchObject({
      step: { seq: 2, attempt: 2, status: 'committed' },
      thread: { status: 'paused', stepCount: 2 },
    });
    expect(ran()).toEqual(['1', '2', '2']);
  });

  it('tries a failed step again, says with 1 when it fails again, and raises a limit', async () => {
    const script = `[ -e "${gate}" ] || { echo '{"$status":1}'; exit 0; }; echo '{"$status":"ok"}'`;
    const workflow = JSON.parse(oneScript('flaky', script));
    workflow.roles.work.frontmatter = {
      type: 'object',
      required: ['$status'],
      properties: { $status: { enum: ['ok'] } },
    };
    const id = await start(machine, writeWorkflow(machine.cwd, 'flaky', JSON.stringify(workflow)));
    await untilStatus(machine, id, 'failed');
    const again = await exec(id);
    expect(again.code).toBe(1);
    expect(again.stdout).toContain('answer-invalid');
    writeFileSync(gate, '');
    expect((await exec(id)).code).toBe(0);
    expect(await show(machine, id)).toMatchObject({ status: 'completed', stepCount: 1 });

    const limited = await startChain(machine, 'limited', 3, () => 'true');
    await untilStatus(machine, limited, 'completed');
    const standing = await start(machine, file(3), '--max-steps', '1');
    await untilStatus(machine, standing, 'paused');
    expect((await exec(standing)).code).toBe(4);
    expect((await exec(standing, '--max-steps', '9')).code).toBe(0);
    expect(await show(machine, standing)).toMatchObject({ status: 'paused', stepCount: 2 });
  });

  it('tells a queued thread its place, and what it waits for', async () => {
    await machine.uwf(['thread', 'list']);
    writeWorkflow(machine.root, 'workflow', 'config:\n  concurrency: { node: 1 }\n');
    const gated = file(1, () => `while [ ! -e "${gate}" ]; do sleep 0.02; done`);
    const running = await start(machine, gated);
    await untilOwned(machine, running);
    const waiting = [await start(machine, gated), await start(machine, gated)];
    const { items } = await machine.json<{ items: { threadId: string; queue: unknown }[] }>(['ps']);
    const queueOf = (id: string) => items.find(({ threadId }) => threadId === id)!.queue;
    expect(waiting.map(queueOf)).toEqual([
      { position: 1, waitsFor: 'node' },
      { position: 2, waitsFor: 'node' },
    ]);
    expect(queueOf(running)).toBeNull();
    expect(await show(machine, waiting[1]!)).toMatchObject({
      status: 'queued',
      queue: { position: 2, waitsFor: 'node' },
    });
    expect((await machine.uwf(['ps'])).stdout).toContain('a slot of the node, 1 before it');
    expect((await machine.uwf(['thread', 'show', waiting[0]!])).stdout).toMatch(
      /^waits for +a slot of the node, next$/m,
    );
    writeWorkflow(
      machine.root,
      'workflow',
      'config:\n  concurrency: { workflows: { steps: 1 } }\n',
    );
    expect((await show(machine, waiting[0]!)).queue).toEqual({ position: 1, waitsFor: 'workflow' });
    // Whoever asks for one step does not take over what waits for all of its steps.
    expect((await exec(waiting[0]!)).code).toBe(4);
    writeFileSync(gate, '');
    for (const id of [running, ...waiting]) await untilStatus(machine, id, 'completed');
  });
});
