import { createModerator } from '@uncaged/protocol/moderator';
import { parseDefinitionFile, type ThreadContext } from '@uncaged/protocol/workflow';
import { describe, expect, it } from 'vitest';
import { createRegexEngine } from './regex-engine.js';

async function routeBy(when: string, content: string) {
  const { definition } = parseDefinitionFile({
    name: 'sample',
    roles: { yes: {}, no: {} },
    moderator: [
      { from: '$START', to: 'yes', when },
      { from: '$START', to: 'no' },
    ],
  });
  const moderator = createModerator(definition!, {
    RegexEngine: createRegexEngine('rule-limit', 'a rule'),
  });
  const thread = { start: { content, inputs: {} }, steps: [] } as unknown as ThreadContext;
  return (await moderator(thread)).role;
}

describe('regular expressions of rules', () => {
  it('match as usual, more than once and with groups', async () => {
    expect(
      await routeBy("$match(start.content, /([a-z])(\\d)/i)[1].groups[1] = '2'", 'A1 b2'),
    ).toBe('yes');
    expect(await routeBy("$replace(start.content, /b+/, 'c') = 'acac'", 'abbab')).toBe('yes');
    expect(await routeBy('$contains(start.content, /z/)', 'abc')).toBe('no');
  });

  it('are given up with rule-limit when they backtrack without end', async () => {
    await expect(
      routeBy('$contains(start.content, /(a+)+$/)', `${'a'.repeat(40)}!`),
    ).rejects.toMatchObject({ code: 'rule-limit', message: expect.stringContaining('(a+)+$') });
  });
});
