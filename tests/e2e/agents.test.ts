import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { start, untilStatus } from '../support/threads.js';
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
});
