import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attemptsOf, configure, projectWorkflow } from '../support/nested.js';
import { show, start, untilOwned, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { writeWorkflow } from '../support/workflows.js';

/** Each starts a dozen processes, on two cores that others use too. */
const TEST_MAX_MS = 90_000;
const LONG_MS = 60_000;

describe('a role with retry', { timeout: TEST_MAX_MS }, () => {
  let machine: Machine;
  let tries: string;
  beforeEach(() => {
    machine = createMachine();
    tries = join(machine.cwd, 'tries');
  });
  afterEach(() => machine.dispose());

  const count = () =>
    existsSync(tries) ? readFileSync(tries, 'utf8').trim().split('\n').length : 0;

  /** An agent that fails until it was asked so often. */
  function flaky(succeedsAt: number, retry: Record<string, unknown>): string {
    const script = `echo x >> "${tries}"; [ "$(wc -l < "${tries}")" -ge ${succeedsAt} ] || { echo overloaded >&2; exit 7; }; echo fine`;
    configure(machine, {
      agents: { flaky: { kind: 'command', command: ['sh', '-c', script] } },
    });
    return projectWorkflow(machine, 'flaky', { work: { agent: 'flaky', retry } });
  }

  it('is asked again until it succeeds; each attempt stays visible', async () => {
    const id = await start(machine, flaky(3, { maxAttempts: 3, backoff: '20ms' }));
    const done = await untilStatus(machine, id, 'completed');
    expect(attemptsOf(done)).toEqual([
      [1, 1, 'failed'],
      [1, 2, 'failed'],
      [1, 3, 'committed'],
    ]);
    expect(done.steps[0]!.problem?.message).toContain('overloaded');
    const events = await machine.uwf(['live', id, '--json']);
    const types = events.stdout.split('\n').filter((line) => line.includes('step.failed'));
    expect(types.length).toBeGreaterThanOrEqual(2);
  });

  it('fails when the attempts are used up; retried by hand it has as many again', async () => {
    const id = await start(machine, flaky(5, { maxAttempts: 2, backoff: '20ms' }));
    const failed = await untilStatus(machine, id, 'failed');
    expect(failed.steps).toHaveLength(2);
    await machine.uwf(['thread', 'retry', id]);
    await until('it was tried twice more', () => count() === 4);
    expect((await untilStatus(machine, id, 'failed')).steps).toHaveLength(4);
    await machine.uwf(['thread', 'retry', id]);
    expect((await untilStatus(machine, id, 'completed')).steps).toHaveLength(5);
  });

  it('pauses at once while it waits, and a resume does not give it attempts', async () => {
    const id = await start(machine, flaky(9, { maxAttempts: 2, backoff: `${LONG_MS}ms` }));
    await until('the first attempt failed', async () => {
      const { steps } = await show(machine, id);
      return steps[0]?.status === 'failed';
    });
    await machine.uwf(['thread', 'pause', id]);
    expect(await untilStatus(machine, id, 'paused')).toMatchObject({ reason: 'user' });
    await machine.uwf(['thread', 'resume', id]);
    const failed = await untilStatus(machine, id, 'failed');
    expect(failed.steps).toHaveLength(2);
  });

  it('is killed at once while it waits', async () => {
    const id = await start(machine, flaky(9, { maxAttempts: 2, backoff: `${LONG_MS}ms` }));
    await until('the first attempt failed', async () => {
      const { steps } = await show(machine, id);
      return steps[0]?.status === 'failed';
    });
    expect(await machine.uwf(['thread', 'kill', id])).toMatchObject({ code: 0 });
    expect(await show(machine, id)).toMatchObject({ status: 'cancelled' });
  });

  it('loses no count of its attempts with its worker', async () => {
    const id = await start(machine, flaky(9, { maxAttempts: 2, backoff: `${LONG_MS}ms` }));
    await until('the first attempt failed', async () => {
      const { steps } = await show(machine, id);
      return steps[0]?.status === 'failed';
    });
    process.kill(await untilOwned(machine, id), 'SIGKILL');
    await untilStatus(machine, id, 'interrupted');
    await machine.uwf(['thread', 'resume', id]);
    expect((await untilStatus(machine, id, 'failed')).steps).toHaveLength(2);
  });
});

describe('a thread that goes round in circles', () => {
  let machine: Machine;
  beforeEach(() => {
    machine = createMachine();
  });
  afterEach(() => machine.dispose());

  const pingPong = (reviewer: string) =>
    writeWorkflow(
      machine.cwd,
      'ping-pong',
      JSON.stringify({
        name: 'ping-pong',
        roles: {
          coder: { description: 'codes', run: `echo '{"$status":"done"}'` },
          reviewer: { description: 'reviews', run: reviewer },
        },
        graph: {
          $START: { _: { role: 'coder', prompt: 'go' } },
          coder: { done: { role: 'reviewer', prompt: 'look' } },
          reviewer: {
            rejected: { role: 'coder', prompt: 'again' },
            approved: { role: '$END', prompt: 'good' },
          },
        },
      }),
    );

  it('pauses with the reason loop after three rounds; resumed it may go round three times more', async () => {
    const gate = join(machine.cwd, 'gate');
    const reviewer = `[ -e "${gate}" ] && echo '{"$status":"approved"}' || echo '{"$status":"rejected"}'`;
    const id = await start(machine, pingPong(reviewer));
    const paused = await untilStatus(machine, id, 'paused');
    expect(paused).toMatchObject({ reason: 'loop', stepCount: 6 });
    expect((await machine.uwf(['thread', 'resume', id])).code).toBe(0);
    await until('it stops again', async () => {
      const thread = await show(machine, id);
      return thread.status === 'paused' && thread.stepCount === 12 && thread.reason === 'loop';
    });
    writeFileSync(gate, '');
    await machine.uwf(['thread', 'resume', id]);
    expect(await untilStatus(machine, id, 'completed')).toMatchObject({ stepCount: 14 });
  });

  it('is not fooled by a worker that died in between', async () => {
    const gate = join(machine.cwd, 'gate');
    const reviewer = `[ "$(wc -l < "$UWF_STEPS_FILE")" -lt 5 ] || while [ ! -e "${gate}" ]; do sleep 0.02; done; echo '{"$status":"rejected"}'`;
    const id = await start(machine, pingPong(reviewer));
    await until('five steps are done', async () => (await show(machine, id)).stepCount === 5);
    process.kill(await untilOwned(machine, id), 'SIGKILL');
    await untilStatus(machine, id, 'interrupted');
    writeFileSync(gate, '');
    await machine.uwf(['thread', 'resume', id]);
    expect(await untilStatus(machine, id, 'paused')).toMatchObject({
      reason: 'loop',
      stepCount: 6,
    });
  });
});
