import { existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { show, start, type ThreadJson, untilOwned, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { writeWorkflow } from '../support/workflows.js';

let machine: Machine;
let trace: string;
let gate: string;
beforeEach(() => {
  machine = createMachine();
  trace = join(machine.cwd, 'trace');
  gate = join(machine.cwd, 'gate');
  writeFileSync(gate, '');
});
afterEach(() => machine.dispose());

/** Says its task, how many steps were before it, and how often it has run; waits for the gate. */
const script = (role: string) => `
  task=$(cat)
  echo ${role} >> "${trace}"
  while [ ! -e "${gate}" ]; do sleep 0.02; done
  echo "${role} did '$task' after $(wc -l < "$UWF_STEPS_FILE") steps, run $(grep -c '^${role}$' "${trace}")"
  echo '{"$status":"ok"}'`;

function threeRoles(name: string, extra: Record<string, unknown> = {}): string {
  const roles = ['planner', 'coder', 'reviewer'];
  const graph: Record<string, unknown> = { $START: { _: { role: 'planner', prompt: 'plan it' } } };
  const prompts = { planner: 'code it', coder: 'review it', reviewer: 'reviewed' };
  for (const [at, role] of roles.entries()) {
    const prompt = prompts[role as keyof typeof prompts];
    graph[role] = { ok: { role: roles[at + 1] ?? '$END', prompt } };
  }
  return writeWorkflow(
    machine.cwd,
    name,
    JSON.stringify({
      name,
      roles: Object.fromEntries(
        roles.map((role) => [role, { description: role, run: script(role) }]),
      ),
      graph,
      ...extra,
    }),
  );
}

const fork = async (...args: string[]) =>
  (await machine.json<{ threadId: string }>(['thread', 'fork', ...args])).threadId;
const completed = async (name = 'three') => {
  const id = await start(machine, threeRoles(name));
  return untilStatus(machine, id, 'completed');
};
const runs = () => (existsSync(trace) ? readFileSync(trace, 'utf8').trim().split('\n') : []);
const texts = ({ steps }: ThreadJson) =>
  steps.map(({ content }) => content?.split('\n')[0] ?? null);
const hashes = ({ steps }: ThreadJson) => steps.map(({ hash }) => hash);

describe('a fork of a thread that is over', () => {
  it('from a role keeps everything up to it on the same start and runs what follows anew', async () => {
    const source = await completed();
    const id = await fork(source.threadId, '--from-role', 'planner');
    const forked = await untilStatus(machine, id, 'completed');
    expect(id).not.toBe(source.threadId);
    expect(forked).toMatchObject({
      start: source.start,
      forkedFrom: source.threadId,
      forkedSeq: 1,
      parent: null,
      workspace: source.workspace,
      stepCount: 3,
    });
    expect(runs()).toEqual(['planner', 'coder', 'reviewer', 'coder', 'reviewer']);
    expect(hashes(forked)[0]).toBe(hashes(source)[0]);
    expect(texts(forked)).toEqual([
      "planner did 'plan it' after 0 steps, run 1",
      "coder did 'code it' after 1 steps, run 2",
      "reviewer did 'review it' after 2 steps, run 2",
    ]);
  });

  it('without a place keeps all but the last step', async () => {
    const source = await completed();
    const printed = await machine.uwf(['thread', 'fork', source.threadId]);
    expect(printed.code).toBe(0);
    expect(printed.stdout).toMatch(/^[0-9A-Z]{26}\n$/);
    const forked = await untilStatus(machine, printed.stdout.trim(), 'completed');
    expect(runs().slice(3)).toEqual(['reviewer']);
    expect(hashes(forked).slice(0, 2)).toEqual(hashes(source).slice(0, 2));
    expect(texts(forked)[2]).toBe("reviewer did 'review it' after 2 steps, run 2");
  });

  it('leaves the source as it is', async () => {
    const source = await completed();
    const events = await machine.uwf(['live', source.threadId, '--json']);
    await untilStatus(machine, await fork(source.threadId, '--from-step', '0'), 'completed');
    expect(await show(machine, source.threadId)).toEqual(source);
    expect((await machine.uwf(['live', source.threadId, '--json'])).stdout).toBe(events.stdout);
  });

  it('stays whole when the source is removed', async () => {
    const source = await completed();
    const id = await fork(source.threadId);
    const forked = await untilStatus(machine, id, 'completed');
    expect((await machine.uwf(['thread', 'rm', source.threadId])).code).toBe(0);
    expect(texts(await show(machine, id))).toEqual(texts(forked));
    const again = await untilStatus(machine, await fork(id, '--from-step', '1'), 'completed');
    expect(hashes(again)[0]).toBe(hashes(source)[0]);
  });

  it('counts its own tokens and steps from the kept ones on', async () => {
    const source = await completed();
    const id = await fork(source.threadId, '--from-step', '1', '--max-steps', '2');
    expect(await untilStatus(machine, id, 'paused')).toMatchObject({
      reason: 'max-steps',
      stepCount: 2,
      usage: { input: 0, output: 0 },
    });
    expect((await machine.uwf(['thread', 'resume', id, '--max-steps', '3'])).code).toBe(0);
    await untilStatus(machine, id, 'completed');
  });

  it('waits for its end when asked to', async () => {
    const source = await completed();
    const done = await machine.uwf(['thread', 'fork', source.threadId, '--wait']);
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(/^[0-9A-Z]{26}\ncompleted: returnCode=0/);
  });

  it('can be made twenty times at once', async () => {
    const source = await completed();
    const ids = await Promise.all(Array.from({ length: 20 }, () => fork(source.threadId)));
    expect(new Set(ids).size).toBe(20);
    for (const id of ids) await untilStatus(machine, id, 'completed');
    expect(runs().filter((role) => role === 'reviewer')).toHaveLength(21);
    expect(await show(machine, source.threadId)).toEqual(source);
  });
});

describe('another task', () => {
  it('is that of the next role, once, and no reader sees where it is noted', async () => {
    const source = await completed();
    const id = await fork(source.threadId, '--from-step', '1', '--prompt', 'code it *twice*');
    const forked = await untilStatus(machine, id, 'completed');
    expect(texts(forked)).toEqual([
      "planner did 'plan it' after 0 steps, run 1",
      "coder did 'code it *twice*' after 1 steps, run 2",
      "reviewer did 'review it' after 2 steps, run 2",
    ]);
    for (const words of [
      ['thread', 'show', id],
      ['step', 'list', id],
      ['live', id],
      ['live', id, '--json'],
      ['thread', 'replay', id],
    ])
      expect((await machine.uwf(words)).stdout).not.toContain('__fork__');
  });

  it('holds for every attempt at that step, also after its worker was killed', async () => {
    const source = await completed();
    writeFileSync(trace, '');
    unlinkSync(gate);
    const id = await fork(source.threadId, '--from-role', 'planner', '--prompt', 'another way');
    const pid = await untilOwned(machine, id);
    await until('the coder runs', () => runs().includes('coder'));
    process.kill(pid, 'SIGKILL');
    await untilStatus(machine, id, 'interrupted');
    writeFileSync(gate, '');
    expect((await machine.uwf(['thread', 'resume', id])).code).toBe(0);
    const forked = await untilStatus(machine, id, 'completed');
    expect(forked.steps.map(({ seq, attempt, status }) => [seq, attempt, status])).toEqual([
      [1, 1, 'committed'],
      [2, 1, 'interrupted'],
      [2, 2, 'committed'],
      [3, 1, 'committed'],
    ]);
    expect(forked.steps[2]?.content).toContain("coder did 'another way' after 1 steps");
    expect(forked.steps[3]?.content).toContain("reviewer did 'review it'");
  });

  it('is part of the history: a fork of the fork at the same place has it too, unless it brings its own', async () => {
    const source = await completed();
    const first = await fork(source.threadId, '--from-step', '1', '--prompt', 'another way');
    await untilStatus(machine, first, 'completed');
    const second = await untilStatus(machine, await fork(first, '--from-step', '1'), 'completed');
    expect(texts(second)[1]).toContain("coder did 'another way'");
    const third = await fork(first, '--from-step', '1', '--prompt', 'a third way');
    expect(texts(await untilStatus(machine, third, 'completed'))[1]).toContain("'a third way'");
    const fourth = await fork(first, '--from-step', '2');
    expect(texts(await untilStatus(machine, fourth, 'completed'))[2]).toContain("'review it'");
  });
});

describe('another workflow or agent', () => {
  it('goes on with the definition that is named, on the same start', async () => {
    const source = await completed();
    const other = writeWorkflow(
      machine.cwd,
      'other',
      JSON.stringify({
        name: 'other',
        roles: { tester: { description: 'tests', run: script('tester') } },
        graph: {
          $START: { _: { role: 'tester', prompt: 'begin' } },
          tester: { ok: { role: '$END', prompt: 'tested' } },
        },
      }),
    );
    const refused = await machine.uwf([
      'thread',
      'fork',
      source.threadId,
      '--from-step',
      '2',
      '--workflow',
      other,
    ]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('cannot go on from step 2 (coder)');
    const id = await fork(source.threadId, '--from-step', '0', '--workflow', other);
    const forked = await untilStatus(machine, id, 'completed');
    expect(forked).toMatchObject({ workflow: 'other', start: source.start, stepCount: 1 });
    expect(forked.version).not.toBe(source.version);
    expect(texts(forked)).toEqual(["tester did 'begin' after 0 steps, run 1"]);
    // A fork of it is of the same version.
    const again = await untilStatus(machine, await fork(id), 'completed');
    expect(again).toMatchObject({ workflow: 'other', version: forked.version });
  });

  it('asks the agent that is named from there on, and refuses a role that there is not', async () => {
    mkdirSync(machine.root, { recursive: true });
    const agent = (name: string) =>
      `    ${name}: { kind: scripted, answers: { writer: ["${name} wrote"] } }\n`;
    writeFileSync(
      join(machine.root, 'workflow.yaml'),
      `config:\n  agents:\n${agent('one')}${agent('two')}workflows: {}\n`,
    );
    const file = writeWorkflow(
      machine.cwd,
      'writing',
      JSON.stringify({
        name: 'writing',
        roles: { writer: { description: 'writes', agent: 'one' } },
        graph: {
          $START: { _: { role: 'writer', prompt: 'write' } },
          writer: { _: { role: '$END', prompt: 'written' } },
        },
      }),
    );
    const source = await untilStatus(machine, await start(machine, file), 'completed');
    const id = await fork(source.threadId, '--agent', 'writer=two');
    const forked = await untilStatus(machine, id, 'completed');
    expect(forked.steps[0]).toMatchObject({ agent: 'two' });
    expect(source.steps[0]).toMatchObject({ agent: 'one' });
    const refused = await machine.uwf(['thread', 'fork', id, '--agent', 'nobody=two']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('has no role nobody; it has writer');
  });
});

describe('a fork of a thread that is not over', () => {
  it('goes beside it while it runs', async () => {
    const id = await start(machine, threeRoles('three'));
    unlinkSync(gate);
    await until('a step waits', async () => (await show(machine, id)).owner !== null);
    const made = await fork(id);
    const more = await fork(id, '--from-step', '0');
    writeFileSync(gate, '');
    const source = await untilStatus(machine, id, 'completed');
    expect(source.steps).toHaveLength(3);
    for (const each of [made, more])
      expect(await untilStatus(machine, each, 'completed')).toMatchObject({
        stepCount: 3,
        forkedFrom: id,
      });
  });

  it('goes on from a thread that was killed, and from one that is paused', async () => {
    const killed = await start(machine, threeRoles('three'), '--max-steps', '2');
    await untilStatus(machine, killed, 'paused');
    const ofPaused = await fork(killed, '--from-step', '2', '--max-steps', '9');
    await untilStatus(machine, ofPaused, 'completed');
    expect((await machine.uwf(['thread', 'kill', killed])).code).toBe(0);
    const before = await show(machine, killed);
    const ofKilled = await fork(killed, '--from-step', '2', '--max-steps', '9');
    const forked = await untilStatus(machine, ofKilled, 'completed');
    expect(hashes(forked).slice(0, 2)).toEqual(hashes(before));
    expect(await show(machine, killed)).toEqual(before);
    expect(before.status).toBe('cancelled');
  });
});

describe('a step', () => {
  it('is the place of a fork by its hash', async () => {
    const source = await completed();
    const hash = source.steps[0]!.hash!;
    const { threadId } = await machine.json<{ threadId: string }>(['step', 'fork', hash]);
    const forked = await untilStatus(machine, threadId, 'completed');
    expect(forked).toMatchObject({ forkedFrom: source.threadId, forkedSeq: 1 });
    expect(hashes(forked)[0]).toBe(hash);
    expect((await machine.uwf(['step', 'fork', source.start])).code).toBe(3);
  });
});

describe('a fork that cannot be made', () => {
  it('says what there is instead', async () => {
    const { threadId: id } = await completed();
    const refused = async (...args: string[]) => {
      const { code, stdout, stderr } = await machine.uwf(['thread', 'fork', ...args]);
      expect(stdout).toBe('');
      return `${code} ${stderr.split('\n').at(-2)}`;
    };
    expect(await refused(id, '--from-role', 'tester')).toBe(
      `2 error: thread ${id} has no step of role "tester"; its roles are planner, coder, reviewer`,
    );
    expect(await refused(id, '--from-step', '4')).toBe(
      `2 error: thread ${id} has 3 steps: a fork keeps 0 to 3 of them, not 4`,
    );
    expect(await refused('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toContain(
      '3 error: thread not found: 01ARZ3NDEKTSV4RRFFQ69G5FAV',
    );
    expect(await refused(id, '--from-step', '1', '--from-role', 'coder')).toContain('not both');
    for (const wrong of [
      ['--from-role'],
      ['--from-role', ''],
      ['--from-step', '-1'],
      ['--from-step', 'x'],
      ['--nope'],
      ['another'],
    ])
      expect(await refused(id, ...wrong)).toMatch(/^2 /);
    const { items } = await machine.json<{ items: unknown[] }>(['thread', 'list']);
    expect(items).toHaveLength(1);
  });
});
