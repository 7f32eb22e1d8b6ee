import { describe, expect, it } from 'vitest';
import type { RunRoleRequest, WorkflowRuntime } from '../workflow/index.js';
import { definitionWorkflow, describeDefinition, rolePrompt } from './index.js';
import { definitionOf, statusSchema } from './sample-definition.test-data.js';
import { step, threadWith } from './thread.test-data.js';

const definition = definitionOf({
  description: 'Checks and mends',
  roles: {
    checker: {
      description: 'Looks',
      goal: 'Find faults.\n',
      capabilities: ['read', 'run tests'],
      procedure: 'Look.',
      output: ' ',
      frontmatter: statusSchema('ok', 'bad'),
      agent: 'reader',
    },
    fixer: { run: 'make fix' },
  },
  graph: {
    $START: { _: { role: 'checker', prompt: 'Check: {{{prompt}}}' } },
    checker: { ok: { role: '$END', prompt: 'All fine' }, bad: { role: 'fixer' } },
    fixer: { ok: { role: 'checker' } },
  },
});

describe('a definition as a workflow', () => {
  it('asks the engine for each role until the end', async () => {
    const requests: RunRoleRequest[] = [];
    const answers = [{ $status: 'bad' }, { $status: 'ok' }, { $status: 'ok' }];
    const runtime = {
      signal: new AbortController().signal,
      runRole: async (request: RunRoleRequest) => {
        requests.push(request);
        const meta = answers[requests.length - 1] ?? {};
        return { contentHash: 'H', meta, refs: ['H'], childThread: null };
      },
    } as unknown as WorkflowRuntime;
    const thread = threadWith([], { prompt: 'the code' });
    const running = definitionWorkflow(definition)(thread, runtime);
    const roles: string[] = [];
    for (;;) {
      const { value, done } = await running.next();
      if (done) {
        expect(value).toEqual({ returnCode: 0, summary: 'All fine' });
        break;
      }
      roles.push(value.role);
      if (roles.length > 3) throw new Error('the workflow does not end');
      thread.steps.push(step(value.role, value.meta));
    }
    expect(roles).toEqual(['checker', 'fixer', 'checker']);
    expect(requests[0]).toEqual({
      role: 'checker',
      prompt: rolePrompt(definition.roles.checker as never),
      task: 'Check: the code',
      schema: statusSchema('ok', 'bad'),
      agent: 'reader',
    });
    expect(requests[1]).toEqual({ role: 'fixer', prompt: '', task: '', schema: null });
  });

  it('says a role in Markdown, without what is empty', () => {
    expect(rolePrompt(definition.roles.checker as never)).toBe(
      '## Goal\n\nFind faults.\n\n## Capabilities\n\n- read\n- run tests\n\n## Procedure\n\nLook.',
    );
  });

  it('is described like a bundle', () => {
    const descriptor = describeDefinition(definition);
    expect(descriptor.roles.fixer).toEqual({ description: '', prompt: '', schema: {} });
    expect(descriptor.graph.edges[1]).toEqual({
      from: 'checker',
      to: '__end__',
      condition: 'ok',
      conditionDescription: 'All fine',
    });
  });
});
