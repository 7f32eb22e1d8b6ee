import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StepDetail } from '@uncaged/protocol/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { show, start, untilStatus } from '../support/threads.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { writeWorkflow } from '../support/workflows.js';

const GRAPH = {
  $START: { _: { role: 'work', prompt: 'work' } },
  work: { ok: { role: '$END', prompt: 'ended' } },
};
const SCHEMA = { type: 'object', properties: { $status: { const: 'ok' } }, required: ['$status'] };
const ANSWER = '---\n$status: ok\n---\nAll done.\n';

describe('reading what an agent did', () => {
  let machine: Machine;
  beforeEach(() => {
    machine = createMachine();
    mkdirSync(machine.root, { recursive: true });
  });
  afterEach(() => machine.dispose());

  /** One step of an agent that gives these answers; its hash. */
  async function stepOf(...answers: unknown[]): Promise<string> {
    const agents = { fake: { kind: 'scripted', answers: { work: answers } } };
    const config = { defaultAgent: 'fake', agents };
    writeFileSync(join(machine.root, 'workflow.yaml'), JSON.stringify({ config, workflows: {} }));
    const roles = { work: { goal: 'works', frontmatter: SCHEMA } };
    const definition = JSON.stringify({ name: 'traced', roles, graph: GRAPH });
    const id = await start(machine, writeWorkflow(machine.cwd, 'traced', definition));
    await untilStatus(machine, id, 'completed', 'failed');
    const { steps } = await show(machine, id);
    return steps.find(({ status }) => status === 'committed')!.hash!;
  }
  const read = async (...args: string[]) => {
    const result = await machine.uwf(['step', 'read', ...args]);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    return result.stdout;
  };

  it('shows turns with role, tools and arguments, also where a turn says nothing', async () => {
    const toolCalls = [{ name: 'read_file', arguments: '{"path":"src/a.ts"}', result: 'text' }];
    const hash = await stepOf({
      text: ANSWER,
      usage: { input: 12, output: 5 },
      trace: {
        durationMs: 900,
        turns: [
          { output: '', toolCalls },
          { output: 'Now I know.', latencyMs: 40 },
        ],
      },
    });
    expect(await read(hash, '--quota', '4000')).toBe(
      `# Step 1: work\n\n${hash} · attempt 1 · agent fake\n\n` +
        '## Turn 1\n\n**Turn role:** assistant\n\n- **read_file** — `{"path":"src/a.ts"}`\n\n' +
        '## Turn 2\n\n**Turn role:** assistant\n\nNow I know.\n',
    );
    const detail = await machine.json<StepDetail>(['step', 'show', hash]);
    expect(detail).toMatchObject({
      usage: { input: 12, cacheRead: 0, cacheWrite: 0, output: 5 },
      trace: {
        agent: 'fake',
        role: 'work',
        durationMs: 900,
        turnCount: 2,
        usage: { input: 12, output: 5 },
        turns: [
          { output: { text: '', size: 0 }, toolCalls: [{ name: 'read_file' }] },
          { output: { text: 'Now I know.' }, durationMs: 40, toolCalls: [] },
        ],
      },
    });
    const { stdout } = await machine.uwf(['step', 'show', hash]);
    expect(stdout).toContain(`2 turns; read them with: uwf step read ${hash}`);
    expect(await machine.json(['step', 'read', hash, '--quota', '150'])).toMatchObject({
      quota: 150,
      turnCount: 2,
      shown: [2],
    });
  });

  it('has no heading of a turn for an agent that tells nothing, but its answer', async () => {
    const hash = await stepOf(ANSWER);
    const text = await read(hash);
    expect(text).not.toContain('## Turn');
    expect(text).toContain('All done.');
    expect(await machine.json<StepDetail>(['step', 'show', hash])).toMatchObject({ trace: null });
  });

  it('refuses a quota that is none, and a hash that is no step', async () => {
    const hash = await stepOf(ANSWER);
    for (const quota of ['0', '-1', 'many'])
      expect((await machine.uwf(['step', 'read', hash, '--quota', quota])).code).toBe(2);
    expect((await machine.uwf(['step', 'read', '0000000000000'])).code).toBe(3);
  });
});
