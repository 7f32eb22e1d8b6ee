import { describe, expect, it } from 'vitest';
import { callAgent, describeAgentContract } from './agent-contract.js';
import { createScriptedAgent } from './scripted.js';

const scripted = (answers: Record<string, string[]>) =>
  createScriptedAgent('fake', { kind: 'scripted', answers });

describeAgentContract({
  kind: 'scripted',
  answering: (texts) => scripted({ worker: [texts.join('')] }),
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
