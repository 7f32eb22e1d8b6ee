import { describe, expect, it } from 'vitest';
import { callAgent, describeAgentContract } from './agent-contract.js';
import { scriptedConfigSchema } from './config.js';
import { createScriptedAgent } from './scripted.js';

const scripted = (answers: Record<string, unknown[]>) =>
  createScriptedAgent('fake', scriptedConfigSchema.parse({ kind: 'scripted', answers }));

describeAgentContract({
  kind: 'scripted',
  answering: (texts) => scripted({ worker: [texts.join('')] }),
  tracing: (trace) => scripted({ worker: [{ text: 'x', trace }] }),
  running: null,
});

describe('createScriptedAgent', () => {
  const answer = async (agent: ReturnType<typeof scripted>, role: string, visit: number) => {
    const call = callAgent(agent, '/', { role, visit, seq: 17, attempt: 3 });
    await call.done;
    return call.output().toString();
  };

  it('gives the nth text at the nth visit, then the last one again', async () => {
    const agent = scripted({ a: ['one', 'two'], b: ['other'] });
    expect(await answer(agent, 'a', 0)).toBe('one');
    expect(await answer(agent, 'a', 1)).toBe('two');
    expect(await answer(agent, 'a', 9)).toBe('two');
    expect(await answer(agent, 'b', 5)).toBe('other');
    expect(await answer(agent, 'a', 0)).toBe('one');
  });

  it('tells the trace and the usage that an answer brings, and nothing of one without', async () => {
    const turns = [{ output: 'looked', toolCalls: [{ name: 'read', arguments: '{"path":"a"}' }] }];
    const agent = scripted({ a: [{ text: 'x', usage: { input: 3 }, trace: { turns } }, 'y'] });
    expect(await callAgent(agent, '/', { role: 'a' }).done).toEqual({
      exitCode: null,
      sessionId: null,
      usage: { input: 3, cacheRead: 0, cacheWrite: 0, output: 0 },
      trace: {
        durationMs: null,
        turns: [
          {
            input: null,
            output: 'looked',
            reasoning: null,
            usage: null,
            latencyMs: null,
            toolCalls: [
              { name: 'read', arguments: '{"path":"a"}', result: null, durationMs: null },
            ],
          },
        ],
      },
    });
    expect(await callAgent(agent, '/', { role: 'a', visit: 1 }).done).toMatchObject({
      usage: null,
      trace: null,
    });
  });

  it('fails for a role it has no answer for, whatever the name', async () => {
    const agent = scripted({ a: ['x'], empty: [' '] });
    for (const role of ['b', 'constructor', '__proto__'])
      await expect(callAgent(agent, '/', { role }).done).rejects.toMatchObject({
        code: 'agent-failed',
        retryable: false,
      });
    await expect(callAgent(agent, '/', { role: 'empty' }).done).rejects.toMatchObject({
      code: 'answer-empty',
    });
  });
});
