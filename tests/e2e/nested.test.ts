import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attemptsOf, configure, nests, projectWorkflow, untilChild } from '../support/nested.js';
import { show, start, untilOwned, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';

/** Each starts a dozen processes, on two cores that others use too. */
const TEST_MAX_MS = 120_000;
/** From the start to the refusal, with everything that a loaded machine has to do besides. */
const QUICKLY_MS = 20_000;

describe('a role that is a workflow', { timeout: TEST_MAX_MS }, () => {
  let machine: Machine;
  let gate: string;
  let trace: string;
  beforeEach(() => {
    machine = createMachine();
    gate = join(machine.cwd, 'gate');
    trace = join(machine.cwd, 'trace');
  });
  afterEach(() => machine.dispose());

  const open = () => writeFileSync(gate, '');
  const ran = () => (existsSync(trace) ? readFileSync(trace, 'utf8').trim().split('\n') : []);
  const says = (what: string, meta = '{"$status":"ok"}') => ({
    run: `echo ${what} >> "${trace}"; echo '${meta}'`,
  });
  const gated = (what: string) => ({
    run: `echo ${what} >> "${trace}"; while [ ! -e "${gate}" ]; do sleep 0.02; done; echo '{"$status":"ok"}'`,
  });
  /** outer: a, b (= inner: one, two), c */
  function outer(inner: Parameters<typeof projectWorkflow>[2], more = {}): string {
    configure(machine, { agents: { nested: nests('inner') }, ...more });
    projectWorkflow(machine, 'inner', inner);
    return projectWorkflow(machine, 'outer', {
      a: says('a'),
      b: { agent: 'nested' },
      c: says('c'),
    });
  }
  const threads = async () =>
    (
      await machine.json<{ items: { threadId: string; status: string; parent: string }[] }>([
        'thread',
        'list',
      ])
    ).items;

  it('runs in a thread of its own with the task as its prompt, and answers with its end', async () => {
    const id = await start(
      machine,
      outer({ one: says('one'), two: says('two', '{"$status":"fine","files":3}') }),
    );
    const parent = await untilStatus(machine, id, 'completed');
    expect(ran()).toEqual(['a', 'one', 'two', 'c']);
    const step = parent.steps[1]!;
    expect(step).toMatchObject({ role: 'b', agent: 'nested', meta: { $status: 'fine', files: 3 } });
    expect(step.content).toContain('inner is done');
    const child = await show(machine, step.childThread!);
    expect(child).toMatchObject({
      status: 'completed',
      workflow: 'inner',
      prompt: 'do b',
      depth: 1,
      parent: id,
      parentSeq: 2,
      workspace: parent.workspace,
    });
    const node = await machine.json<{ payload: Record<string, unknown> }>([
      'cas',
      'get',
      child.start,
    ]);
    expect(node.payload).toMatchObject({ depth: 1, parentState: parent.steps[0]!.hash });
    const state = await machine.json<{ payload: unknown }>(['cas', 'get', step.hash!]);
    expect(state.payload).toMatchObject({ childThread: child.threadId });
  });

  it('is named to who watches the parent, as soon as it is there', async () => {
    const id = await start(machine, outer({ one: gated('one') }));
    const child = await untilChild(machine, id, 2);
    const watching = machine.uwf(['live', id]);
    const json = machine.uwf(['live', id, '--json']);
    open();
    expect((await watching).stdout).toMatch(
      new RegExp(`^\\[[\\d:]+\\] ▷ b waits for nested thread ${child}$`, 'm'),
    );
    const told = (await json).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: { seq: number } })
      .filter(({ type, data }) => type.startsWith('step.') && data.seq === 2);
    expect(told.map(({ type }) => type)).toEqual(['step.started', 'step.nested', 'step.committed']);
    expect(told[1]!.data).toMatchObject({ attempt: 1, role: 'b', childThread: child });
    const replayed = await machine.uwf(['thread', 'replay', id]);
    expect(replayed.stdout).toContain(`waits for nested thread ${child}`);
  });

  it('goes when its parent is removed, also one that failed, and never while it runs', async () => {
    const id = await start(machine, outer({ one: gated('one'), two: { run: 'exit 7' } }));
    const child = await untilChild(machine, id, 2);
    expect((await machine.uwf(['thread', 'rm', id])).code).toBe(4);
    open();
    await untilStatus(machine, id, 'failed');
    expect((await show(machine, child)).status).toBe('failed');
    const removed = await machine.uwf(['thread', 'rm', id]);
    expect(removed).toMatchObject({
      code: 0,
      stdout: `removed thread ${id} and 1 thread nested in it\n`,
    });
    expect(await threads()).toEqual([]);
    expect((await machine.uwf(['thread', 'show', child])).code).toBe(3);
  });

  it('is chosen by --agent, and what the run chose for roles of the same name holds below', async () => {
    const answers = { talk: ['yes'], b: ['yes'] };
    configure(machine, {
      agents: {
        nested: nests('inner'),
        canned: { kind: 'scripted', answers },
        other: { kind: 'scripted', answers },
      },
    });
    projectWorkflow(machine, 'inner', { b: { agent: 'canned' }, talk: { agent: 'canned' } });
    projectWorkflow(machine, 'outer', { b: { agent: 'canned' }, talk: { agent: 'canned' } });
    const id = await start(machine, 'outer', '--agent', 'b=nested', '--agent', 'talk=other');
    const parent = await untilStatus(machine, id, 'completed');
    const child = await show(machine, parent.steps[0]!.childThread!);
    // Not that role b is this workflow: it would nest itself for ever.
    expect(child.steps.map(({ agent }) => agent)).toEqual(['canned', 'other']);
  });

  it('does not wait for a slot that its parent has, in a node with one slot and a workflow with one', async () => {
    configure(machine, {
      agents: { again: nests('self'), leaf: nests('leaf') },
      concurrency: { node: 1, workflows: { self: 1, leaf: 1 } },
    });
    projectWorkflow(machine, 'leaf', { one: says('leaf') });
    projectWorkflow(machine, 'self', { b: { agent: 'leaf' } });
    projectWorkflow(machine, 'top', { a: { agent: 'again' }, b: { agent: 'again' } });
    const ids = await Promise.all(
      ['top', 'self', 'top', 'self'].map((name) => start(machine, name)),
    );
    for (const id of ids) await untilStatus(machine, id, 'completed');
    expect(ran()).toHaveLength(6);
  });

  it('keeps other threads waiting while it works: parent and child have one slot together', async () => {
    const name = outer({ one: gated('one') }, { concurrency: { node: 1 } });
    const first = await start(machine, name);
    await untilChild(machine, first, 2);
    await until('the nested step runs', () => ran().includes('one'));
    const second = await start(machine, projectWorkflow(machine, 'alone', { x: says('x') }));
    expect(await show(machine, second)).toMatchObject({
      status: 'queued',
      queue: { position: 1, waitsFor: 'node' },
    });
    open();
    await untilStatus(machine, first, 'completed');
    await untilStatus(machine, second, 'completed');
    expect(ran()).toEqual(['a', 'one', 'c', 'x']);
  });

  it('that calls itself ends with the chain of workflows, quickly, and leaves nothing running', async () => {
    configure(machine, { agents: { self: nests('narcissus') } });
    projectWorkflow(machine, 'narcissus', { look: { agent: 'self' } });
    const began = performance.now();
    const id = await start(machine, 'narcissus');
    const failed = await untilStatus(machine, id, 'failed');
    expect(performance.now() - began).toBeLessThan(QUICKLY_MS);
    expect(failed.problem?.code).toBe('max-depth');
    expect(failed.problem?.message).toContain(
      'narcissus → narcissus → narcissus → narcissus → narcissus',
    );
    const all = await threads();
    expect(all.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'failed']);
    // Raised, the same threads go on: each tries its failed step again, none begins anew.
    configure(machine, { agents: { self: nests('narcissus') }, maxDepth: 4 });
    expect(await machine.uwf(['thread', 'retry', id])).toMatchObject({ code: 0 });
    await until('it fails one level below', async () => (await threads()).length === 5);
    expect((await untilStatus(machine, id, 'failed')).problem?.code).toBe('max-depth');
  });

  it('ten levels deep is refused at the level that the configuration says', async () => {
    const levels = Array.from({ length: 11 }, (_, n) => `level-${n}`);
    const agents = Object.fromEntries(levels.map((name) => [name, nests(name)]));
    configure(machine, { agents });
    for (const [n, name] of levels.entries())
      projectWorkflow(machine, name, { go: n === 10 ? says('deep') : { agent: levels[n + 1]! } });
    const id = await start(machine, 'level-0');
    const failed = await untilStatus(machine, id, 'failed');
    expect(failed.problem).toMatchObject({ code: 'max-depth' });
    expect(failed.problem?.message).toContain('level-0 → level-1 → level-2 → level-3 → level-4');
    expect((await threads()).every(({ status }) => status === 'failed')).toBe(true);
    configure(machine, { agents, maxDepth: 10 });
    await untilStatus(machine, await start(machine, 'level-0'), 'completed');
    expect(ran()).toEqual(['deep']);
  });

  it('pauses as one with what is nested in it, and goes on as one, from either side', async () => {
    const id = await start(machine, outer({ one: gated('one'), two: says('two') }));
    const child = await untilChild(machine, id, 2);
    await until('the nested step runs', () => ran().includes('one'));
    await machine.uwf(['thread', 'pause', id]);
    await until('the child is told', async () => (await show(machine, child)).desired === 'pause');
    // Taken back while the step goes on, it holds for neither.
    await machine.uwf(['thread', 'resume', id]);
    await until('and untold', async () => (await show(machine, child)).desired === 'run');
    await machine.uwf(['thread', 'pause', id]);
    await until('told again', async () => (await show(machine, child)).desired === 'pause');
    open();
    await untilStatus(machine, child, 'paused');
    expect(await untilStatus(machine, id, 'paused')).toMatchObject({
      reason: 'user',
      stepCount: 1,
    });
    expect(ran()).toEqual(['a', 'one']);
    expect(await machine.uwf(['thread', 'resume', child])).toMatchObject({ code: 0 });
    const done = await untilStatus(machine, id, 'completed');
    expect(ran()).toEqual(['a', 'one', 'two', 'c']);
    expect(
      new Set(done.steps.filter((step) => step.seq === 2).map((step) => step.childThread)),
    ).toEqual(new Set([child]));
  });

  it('pauses its parent with its own limit, and a raise given to the parent is for it', async () => {
    configure(machine, { agents: { nested: nests('inner') } });
    projectWorkflow(machine, 'inner', { one: says('one'), two: says('two') }, { maxSteps: 1 });
    projectWorkflow(machine, 'outer', { b: { agent: 'nested' } });
    const id = await start(machine, 'outer');
    expect(await untilStatus(machine, id, 'paused')).toMatchObject({ reason: 'max-steps' });
    const child = await untilChild(machine, id, 1);
    const refused = await machine.uwf(['thread', 'resume', id]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(child);
    expect(await machine.uwf(['thread', 'resume', id, '--max-steps', '5'])).toMatchObject({
      code: 0,
    });
    await untilStatus(machine, id, 'completed');
    expect(await show(machine, child)).toMatchObject({ options: { maxSteps: 5 } });
    expect(await show(machine, id)).toMatchObject({ options: { maxSteps: null } });
    expect(ran()).toEqual(['one', 'two']);
  });

  it('that failed fails the step, which quotes it; retry tries that thread again, with nothing that was done', async () => {
    const flaky = {
      run: `echo two >> "${trace}"; [ -e "${gate}" ] || { echo '{"$status":"no-such"}'; exit 0; }; echo '{"$status":"ok"}'`,
      frontmatter: { type: 'object', properties: { $status: { const: 'ok' } } },
    };
    const id = await start(machine, outer({ one: says('one'), two: flaky }));
    const failed = await untilStatus(machine, id, 'failed');
    const child = await untilChild(machine, id, 2);
    expect(failed).toMatchObject({ retryable: true, problem: { code: 'child-failed' } });
    expect(failed.problem?.message).toContain(child);
    expect(failed.problem?.message).toContain('answer-invalid');
    open();
    expect(await machine.uwf(['thread', 'retry', id])).toMatchObject({ code: 0 });
    const done = await untilStatus(machine, id, 'completed');
    expect(ran()).toEqual(['a', 'one', 'two', 'two', 'c']);
    expect(done.steps[2]).toMatchObject({ attempt: 2, childThread: child, status: 'committed' });
  });

  it('that is killed gives the step one defined result; retry starts another one', async () => {
    const id = await start(machine, outer({ one: gated('one') }));
    const child = await untilChild(machine, id, 2);
    await until('the nested step runs', () => ran().includes('one'));
    expect(await machine.uwf(['thread', 'kill', child])).toMatchObject({ code: 0 });
    const failed = await untilStatus(machine, id, 'failed');
    expect(failed).toMatchObject({ retryable: true, problem: { code: 'child-cancelled' } });
    open();
    await machine.uwf(['thread', 'retry', id]);
    const done = await untilStatus(machine, id, 'completed');
    const second = done.steps.find((step) => step.seq === 2 && step.attempt === 2);
    expect(second?.childThread).not.toBe(child);
    expect(attemptsOf(done)).toEqual([
      [1, 1, 'committed'],
      [2, 1, 'failed'],
      [2, 2, 'committed'],
      [3, 1, 'committed'],
    ]);
  });

  it('ends with its step when that takes too long', async () => {
    configure(machine, { agents: { nested: nests('inner') } });
    projectWorkflow(machine, 'inner', { one: gated('one') });
    projectWorkflow(machine, 'outer', { b: { agent: 'nested', timeout: '600ms' } });
    const id = await start(machine, 'outer');
    expect(await untilStatus(machine, id, 'failed')).toMatchObject({
      problem: { code: 'timeout' },
    });
    expect(await show(machine, await untilChild(machine, id, 1))).toMatchObject({
      status: 'cancelled',
    });
  });

  it('is not removed while its parent may need it, and goes with a parent that is paused as it is', async () => {
    const id = await start(machine, outer({ one: gated('one'), two: says('two') }));
    const child = await untilChild(machine, id, 2);
    await until('the nested step runs', () => ran().includes('one'));
    await machine.uwf(['thread', 'pause', id]);
    open();
    await untilStatus(machine, id, 'paused');
    const childRefused = await machine.uwf(['thread', 'rm', child]);
    expect(childRefused).toMatchObject({ code: 4 });
    expect(childRefused.stderr).toContain(id);
    const removed = await machine.json(['thread', 'rm', id]);
    expect(removed).toEqual({ id, removed: true, nested: 1 });
    expect(await threads()).toEqual([]);
  });

  it('is ended when the parent is, with what is nested in it and its processes', async () => {
    configure(machine, { agents: { inner: nests('inner'), middle: nests('middle') } });
    projectWorkflow(machine, 'inner', { one: gated('one') });
    projectWorkflow(machine, 'middle', { m: { agent: 'inner' } });
    projectWorkflow(machine, 'outer', { b: { agent: 'middle' } });
    const id = await start(machine, 'outer');
    await until('the script runs', () => ran().includes('one'));
    await untilOwned(machine, id);
    expect(await machine.uwf(['thread', 'kill', id])).toMatchObject({ code: 0 });
    const all = await threads();
    expect(all.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await show(machine, id)).toMatchObject({ status: 'cancelled', returnCode: 130 });
  });
});
