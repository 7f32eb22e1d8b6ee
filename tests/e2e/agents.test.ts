import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { start, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { writeWorkflow } from '../support/workflows.js';

const REVIEW = `
name: review
description: a coder and a reviewer
roles:
  coder:
    description: writes
    goal: Write code.
    output: What you did.
    frontmatter:
      type: object
      required: [$status, files]
      properties: { $status: { const: done }, files: { type: array, items: { type: string } } }
  reviewer:
    description: reads
    goal: Review it.
    frontmatter:
      type: object
      required: [$status]
      properties: { $status: { enum: [approved, rejected] }, comments: { type: string } }
graph:
  $START: { _: { role: coder, prompt: "Do this: {{{prompt}}}" } }
  coder: { done: { role: reviewer, prompt: "Review {{files}}" } }
  reviewer:
    approved: { role: $END, prompt: "approved" }
    rejected: { role: coder, prompt: "Fix: {{{comments}}}" }
`;

describe('a workflow of agents', () => {
  let machine: Machine;
  beforeEach(() => {
    machine = createMachine();
    mkdirSync(machine.root, { recursive: true });
  });
  afterEach(() => machine.dispose());

  const configure = (config: object) =>
    writeFileSync(join(machine.root, 'workflow.yaml'), JSON.stringify({ config, workflows: {} }));
  const run = (...args: string[]) =>
    start(machine, writeWorkflow(machine.cwd, 'review', REVIEW), ...args);

  it('follows what scripted agents answer, round the loop and out', async () => {
    configure({
      defaultAgent: 'script',
      agents: {
        script: {
          kind: 'scripted',
          answers: {
            coder: [
              '---\n$status: done\nfiles: [a.ts]\n---\nFirst try.',
              '---\n$status: done\nfiles: [a.ts, b.ts]\n---\nBetter.',
            ],
            reviewer: [
              '---\n$status: rejected\ncomments: no tests\n---\n',
              '---\n$status: approved\n---\nFine.',
            ],
          },
        },
      },
    });
    const thread = await untilStatus(
      machine,
      await run('--prompt', 'a parser'),
      'completed',
      'failed',
    );
    expect(thread).toMatchObject({ status: 'completed', summary: 'approved', prompt: 'a parser' });
    expect(thread.steps.map((step) => [step.role, step.agent, step.meta])).toEqual([
      ['coder', 'script', { $status: 'done', files: ['a.ts'] }],
      ['reviewer', 'script', { $status: 'rejected', comments: 'no tests' }],
      ['coder', 'script', { $status: 'done', files: ['a.ts', 'b.ts'] }],
      ['reviewer', 'script', { $status: 'approved' }],
    ]);
  });

  it('gives a command agent its prompt: role, task, earlier steps, latest answer, form of the answer', async () => {
    const program = join(machine.cwd, 'agent.mjs');
    writeFileSync(
      program,
      `let prompt = ''; for await (const chunk of process.stdin) prompt += chunk;
       const status = prompt.includes('Review it.') ? 'approved' : 'done';
       console.log('---\\n$status: ' + status + (status === 'done' ? '\\nfiles: [x]' : '') + '\\n---\\n' + prompt);`,
    );
    configure({
      defaultAgent: 'cli',
      agents: { cli: { kind: 'command', command: [process.execPath, program] } },
    });
    const thread = await untilStatus(
      machine,
      await run('--prompt', 'a parser'),
      'completed',
      'failed',
    );
    expect(thread).toMatchObject({ status: 'completed' });
    const [coder, reviewer] = thread.steps;
    expect(coder?.content).toContain('## Task\n\nDo this: a parser');
    expect(coder?.content).toContain('## Answer format');
    expect(reviewer?.content).toContain('## Latest Step');
    expect(reviewer?.content).toContain('"files":["x"]');
  });

  it('asks again when the answer does not match, and fails quoting it when that does not help', async () => {
    configure({
      defaultAgent: 'script',
      agents: {
        script: {
          kind: 'scripted',
          answers: { coder: ['---\n$status: done\n---\nI forgot the files.'] },
        },
      },
    });
    const thread = await untilStatus(machine, await run(), 'completed', 'failed');
    expect(thread).toMatchObject({
      status: 'failed',
      retryable: true,
      problem: { code: 'answer-invalid' },
    });
    expect(thread.problem?.message).toContain('files');
    expect(thread.problem?.message).toContain('I forgot the files.');
    expect(thread.problem?.message).toContain('3 times');
  });

  it('fails naming what to do when a role has no agent, and when its program does not exist', async () => {
    configure({});
    const without = await untilStatus(machine, await run(), 'failed');
    expect(without.problem?.code).toBe('unknown-agent');
    expect(without.problem?.message).toContain('--agent coder=');
    configure({ agents: { gone: { kind: 'command', command: ['/nowhere/agent'] } } });
    const gone = await untilStatus(machine, await run('--agent', 'coder=gone'), 'failed');
    expect(gone.problem).toMatchObject({ code: 'agent-not-found' });
    expect(gone.problem?.message).toContain('/nowhere/agent');
  });

  it('fails before anything starts when a secret has no value', async () => {
    const agent = {
      kind: 'command',
      command: ['sh', '-c', 'echo "---"; echo "$status: approved"; echo "---"'],
      env: { KEY: 'env:UWF_TEST_SECRET' },
    };
    configure({ defaultAgent: 'cli', agents: { cli: agent } });
    const thread = await untilStatus(machine, await run(), 'failed');
    expect(thread.problem).toMatchObject({ code: 'secret-unresolved' });
    expect(thread.problem?.message).toContain('UWF_TEST_SECRET');
  });

  describe('that has a secret', () => {
    const key = 'sk-"Tür"/4711 geheim+lang';
    const forms = {
      raw: key,
      'first half': key.slice(0, 9),
      JSON: JSON.stringify(key).slice(1, -1),
      URL: encodeURIComponent(key),
      base64: Buffer.from(key).toString('base64'),
      'base64 of a header': Buffer.from(`user:${key}`).toString('base64').slice(8, -4),
      base64url: Buffer.from(key).toString('base64url'),
    };
    /** Names of the forms that are in what the storage root holds, apart from the file with the secret. */
    const stored = (wanted: Record<string, string> = forms) => {
      const files = readdirSync(machine.root, { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && entry.name !== 'secret',
      );
      expect(files.map(({ name }) => name)).toContain('store.db');
      const bytes = Buffer.concat(
        files.map((entry) => readIfThere(join(entry.parentPath, entry.name))),
      );
      return found(bytes, wanted);
    };
    const found = (bytes: Uint8Array | string, wanted: Record<string, string> = forms) =>
      Object.keys(wanted).filter((name) => Buffer.from(bytes).includes(wanted[name]!));
    const configureAgent = (program: string) => {
      const path = join(machine.cwd, 'agent.mjs');
      writeFileSync(path, program);
      writeFileSync(join(machine.root, 'secret'), key);
      const command = [process.execPath, path];
      const env = { KEY: `file:${join(machine.root, 'secret')}` };
      configure({ defaultAgent: 'cli', agents: { cli: { kind: 'command', command, env } } });
    };

    it('may print it in any form: it is neither shown nor stored', async () => {
      configureAgent(`
        import { existsSync } from 'node:fs';
        import { setTimeout } from 'node:timers/promises';
        const { KEY } = process.env;
        const half = KEY.slice(0, 9);
        process.stderr.write('noise: ' + KEY + '\\n');
        process.stdout.write('---\\n$status: done\\nfiles: ["' + encodeURIComponent(KEY) + '"]\\n---\\n'
          + 'raw: ' + KEY + ' json: ' + JSON.stringify({ KEY })
          + ' base64: ' + Buffer.from(KEY).toString('base64')
          + ' header: ' + Buffer.from('user:' + KEY).toString('base64')
          + ' base64url: ' + Buffer.from(KEY).toString('base64url') + ' two writes: ' + half);
        while (!existsSync('go')) await setTimeout(10);
        process.stdout.write(KEY.slice(half.length) + '. The end');
      `);
      const id = await run();
      const live = machine.uwf(['live', id]);
      // The bytes of the first write are where watchers see them, those that may begin the secret are not.
      await until('the first write is stored', () => stored({ text: ' two writes: ' }).length > 0);
      expect(stored()).toEqual([]);
      writeFileSync(join(machine.cwd, 'go'), '');

      // The reviewer answers like the coder, and fails; the coder's step is what counts here.
      const thread = await untilStatus(machine, id, 'completed', 'failed');
      const step = thread.steps[0]!;
      expect(step.meta).toEqual({ $status: 'done', files: ['***'] });
      expect(step.content).toContain('raw: *** json: {"KEY":"***"} base64: ***');
      expect(step.content).toContain('two writes: ***. The end');
      expect(thread.problem?.message).toContain('***');
      for (const args of [
        ['thread', 'show', id],
        ['thread', 'show', id, '--json'],
        ['step', 'show', step.hash!],
        ['step', 'show', step.hash!, '--raw'],
        ['live', id, '--debug'],
      ]) {
        const { code, stdoutBytes, stderr } = await machine.uwf(args);
        expect([code, found(stdoutBytes), found(stderr)]).toEqual([expect.any(Number), [], []]);
        expect(stdoutBytes.toString()).toContain('***');
      }
      const { stdout, stderr } = await live;
      expect(stdout).toContain('raw: ***');
      expect([found(stdout), found(stderr)]).toEqual([[], []]);
      expect(stored()).toEqual([]);
    });

    it('may fail with it on stderr: the problem quotes it masked', async () => {
      configureAgent(`
        console.error('401 for ' + JSON.stringify({ authorization: process.env.KEY }));
        console.error('cut: ' + process.env.KEY.slice(0, 5));
        process.exitCode = 7;
      `);
      const id = await run();
      const { problem } = await untilStatus(machine, id, 'failed');
      expect(problem?.code).toBe('agent-failed');
      expect(problem?.message).toContain('401 for {"authorization":"***"}\ncut: sk-"T');
      expect(found((await machine.uwf(['thread', 'show', id])).stdout)).toEqual([]);
      expect(stored()).toEqual([]);
    });
  });
});

/** A worker that ends takes its files along. */
function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
