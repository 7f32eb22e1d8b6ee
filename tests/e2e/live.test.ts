import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startService, untilSaid } from '../support/service.js';
import { start, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { oneScript, writeWorkflow } from '../support/workflows.js';

const UWF = fileURLToPath(new URL('../../agent-node/bin/uwf.js', import.meta.url));

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.dispose());

const TWO_ROLES = JSON.stringify({
  name: 'two',
  roles: {
    planner: { run: 'for n in 1 2 3 4 5 6 7 8 9 10 11; do echo "plan $n"; done' },
    coder: { run: `echo code; echo '{"$status":"done","files":2}'` },
  },
  graph: {
    $START: { _: { role: 'planner', prompt: 'plan' } },
    planner: { ok: { role: 'coder', prompt: 'code' } },
    coder: { done: { role: '$END', prompt: 'all done' } },
  },
});

const runTwo = async () => {
  const { threadId } = await machine.json<{ threadId: string }>([
    'run',
    writeWorkflow(machine.cwd, 'two', TWO_ROLES),
  ]);
  await untilStatus(machine, threadId, 'completed');
  return threadId;
};

describe('live', () => {
  it('shows ten lines of a step and how many more, its meta, its outcome, and the end', async () => {
    const { code, stdout } = await machine.uwf(['live', await runTwo()]);
    expect(code).toBe(0);
    expect(stdout).toContain('  plan 10\n  … (1 more line)\n  meta: {"$status":"ok"}\n');
    expect(stdout).not.toContain('plan 11');
    expect(stdout).toMatch(/▶ coder → done {2}\d/);
    expect(stdout).toContain('  meta: {"$status":"done","files":2}\n');
    expect(stdout).toMatch(/\ncompleted: returnCode=0 — all done\n$/);
  });

  it('shows the steps of one role and the end when asked to', async () => {
    const { stdout } = await machine.uwf(['live', await runTwo(), '--role', 'planner']);
    expect(stdout).toContain('plan 1');
    expect(stdout).not.toContain('▶ coder');
    expect(stdout).toContain('completed: returnCode=0');
  });

  it('follows a thread until it ends', async () => {
    const gate = join(machine.cwd, 'gate');
    const script = `while [ ! -e "${gate}" ]; do sleep 0.02; done; echo late`;
    const id = await start(machine, writeWorkflow(machine.cwd, 'slow', oneScript('slow', script)));
    const live = startService(UWF, ['live', id], { cwd: machine.cwd, env: machine.env });
    await untilSaid(live, 'stdout', /^thread /);
    expect(live.output.stdout).not.toContain('late');
    writeFileSync(gate, '');
    await until('it ends', () => live.exitCode() !== null);
    await live.stop();
    expect(live.exitCode()).toBe(0);
    expect(live.output.stdout).toContain('  late\n');
  });

  it('shows the newest with --latest', async () => {
    await runTwo();
    const file = writeWorkflow(machine.cwd, 'one', oneScript('one', 'echo newest'));
    const id = await start(machine, file);
    const { stdout } = await machine.uwf(['live', '--latest']);
    expect(stdout).toContain(id);
    expect(stdout).toContain('  newest\n');
  });

  it.each([
    [['--latest'], 3, 'no threads'],
    [[], 2, 'give the id of a thread, or --latest'],
    [['--latest', '01ARZ3NDEKTSV4RRFFQ69G5FAV'], 2, 'not both'],
    [['01ARZ3NDEKTSV4RRFFQ69G5FAV'], 3, 'thread not found'],
  ])('answers %j in an empty store with exit code %d', async (args, code, text) => {
    const result = await machine.uwf(['live', ...args]);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(text);
  });

  it('shows debug records on one line each', async () => {
    const agents = `config:\n  defaultAgent: a\n  agents:\n    a: { kind: scripted, answers: { work: [wrong, "---\\n$status: ok\\n---\\nright"] } }\n`;
    await machine.uwf(['thread', 'list']);
    writeWorkflow(machine.root, 'workflow', agents);
    const definition = JSON.stringify({
      name: 'asks',
      roles: {
        work: {
          goal: 'works',
          frontmatter: { type: 'object', properties: { $status: { const: 'ok' } } },
        },
      },
      graph: {
        $START: { _: { role: 'work', prompt: 'work' } },
        work: { ok: { role: '$END', prompt: 'ended' } },
      },
    });
    const id = await start(machine, writeWorkflow(machine.cwd, 'asks', definition));
    await untilStatus(machine, id, 'failed', 'completed');
    const { stdout } = await machine.uwf(['live', id, '--debug']);
    expect(stdout).toMatch(/^\[\d\d:\d\d:\d\d\] \[5ZC8WQ1T\] step 1 work: asked again: .*$/m);
  });
});

it.each([
  ['threads', ['thread', 'list'], 'no threads\n'],
  ['running threads', ['ps'], 'nothing is running\n'],
])('an empty store has no %s to list, which is no failure', async (_, args, stderr) => {
  expect(await machine.uwf(args)).toMatchObject({ code: 0, stdout: '', stderr });
});

it('two starts of one file have the same version, and ids that sort by time', async () => {
  const file = writeWorkflow(machine.cwd, 'one', oneScript('one', 'echo 1'));
  const first = await start(machine, file);
  const second = await start(machine, file);
  for (const id of [first, second]) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(first < second).toBe(true);
  const versions = [first, second].map(async (id) => {
    const { version } = await untilStatus(machine, id, 'completed');
    return version;
  });
  const [one, other] = await Promise.all(versions);
  expect(one).toBe(other);
});

it('everything of a thread can be reached from its end', async () => {
  const thread = await untilStatus(machine, await runTwo(), 'completed');
  const reached = new Set<string>();
  const walk = async (hash: string): Promise<void> => {
    if (reached.has(hash)) return;
    reached.add(hash);
    const { refs } = await machine.json<{ refs: string[] }>(['cas', 'get', hash]);
    for (const ref of refs) await walk(ref);
  };
  await walk(thread.head);
  const needed = [thread.start, thread.version].concat(
    thread.steps.flatMap(({ hash, contentHash }) => [hash ?? '', contentHash ?? '']),
  );
  for (const hash of needed) expect(reached).toContain(hash);
});
