import { describe, expect, it } from 'vitest';
import { parseAgentConfig } from './config.js';
import { createAgent } from './create-agent.js';

const options = { resolveSecret: () => null };

describe('parseAgentConfig', () => {
  it.each([
    [{ preset: 'opencode' }],
    [{ kind: 'command', command: ['claude', '-p'], env: { KEY: 'env:KEY' }, input: 'arg' }],
    [{ kind: 'acp', command: ['opencode', 'acp'], permission: 'ask' }],
    [{ kind: 'llm', model: 'p/m' }],
    [{ kind: 'human' }],
    [{ kind: 'workflow', workflow: 'develop' }],
  ])('takes %j', (config) => {
    expect(parseAgentConfig('x', config)).toEqual(config);
  });

  it('takes answers of a script as texts or with what they stand for', () => {
    const answers = { a: ['x', { text: 'y', usage: { output: 2 } }] };
    expect(parseAgentConfig('x', { kind: 'scripted', answers })).toEqual({
      kind: 'scripted',
      answers: {
        a: [
          { text: 'x', trace: null, usage: null },
          {
            text: 'y',
            trace: null,
            usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 2 },
          },
        ],
      },
    });
  });

  it.each([
    [{ kind: 'comand', command: ['x'] }, 'config.agents.x.kind'],
    [{ kind: 'command' }, 'config.agents.x.command'],
    [{ kind: 'command', command: [] }, 'config.agents.x.command'],
    [{ kind: 'command', command: 'claude -p' }, 'config.agents.x.command'],
    [{ kind: 'command', command: ['x'], inptu: 'arg' }, 'inptu'],
    [{ kind: 'command', command: ['a\0b'] }, 'NUL'],
    [{ kind: 'command', command: ['x'], env: { 'A=B': 'x' } }, 'variable name'],
    [{ kind: 'scripted', answers: { a: [] } }, 'config.agents.x.answers.a'],
    [{ kind: 'scripted', answers: { a: [{ text: 3 }] } }, 'config.agents.x.answers.a.0.text'],
    [
      {
        kind: 'scripted',
        answers: { a: [{ text: 'x', trace: { turns: [{ toolCalls: [{}] }] } }] },
      },
      'config.agents.x.answers.a.0.trace.turns.0.toolCalls.0.name',
    ],
    [{ preset: 3 }, 'config.agents.x.preset'],
    ['claude', 'config.agents.x'],
    [null, 'config.agents.x'],
  ])('says where %j is wrong', (config, where) => {
    expect(() => parseAgentConfig('x', config)).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining(where) }),
    );
  });
});

describe('createAgent', () => {
  it('makes the kinds that exist', () => {
    expect(createAgent('a', { kind: 'command', command: ['x'] }, options)).toMatchObject({
      kind: 'command',
      name: 'a',
    });
    expect(createAgent('b', { kind: 'scripted', answers: {} }, options)).toMatchObject({
      kind: 'scripted',
      name: 'b',
    });
  });

  it.each([[{ kind: 'acp', command: ['x'] }], [{ kind: 'human' }], [{ preset: 'opencode' }]])(
    'names the kinds that exist instead of %j',
    (config) => {
      expect(() => createAgent('a', parseAgentConfig('a', config), options)).toThrow(
        expect.objectContaining({
          code: 'unsupported-kind',
          message: expect.stringContaining('command, scripted'),
        }),
      );
    },
  );
});
