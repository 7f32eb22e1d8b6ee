import { describe, expect, it } from 'vitest';
import { isProblem } from '../problem/index.js';
import { createModerator } from './index.js';
import { definitionOf } from './sample-definition.test-data.js';
import { step, threadWith } from './thread.test-data.js';

type RuleFile = { from: string; to: string; when?: string; prompt?: string };

const withRules = (...moderator: RuleFile[]) =>
  createModerator(definitionOf({ roles: { checker: {}, fixer: {} }, moderator }));

async function codeOf(working: unknown): Promise<string> {
  try {
    await working;
  } catch (error) {
    if (isProblem(error)) return error.code;
    throw error;
  }
  return 'no problem';
}

describe('JSONata rules', () => {
  const moderator = withRules(
    { from: '$START', to: 'checker', prompt: 'Check {{{prompt}}}' },
    { from: 'checker', to: '$END', when: "steps[-1].meta.status = 'ok'", prompt: 'Fine' },
    { from: 'checker', to: '$END', when: '$count(steps) > 4' },
    { from: 'checker', to: 'fixer', prompt: 'Fix {{{what}}}' },
    { from: 'fixer', to: 'checker' },
  );

  it('take the first that holds: checker, fixer, checker, end', async () => {
    const bad = step('checker', { status: 'bad', what: 'this' });
    const fixed = step('fixer', {});
    expect(await moderator(threadWith([]))).toEqual({ role: 'checker', prompt: 'Check Do it' });
    expect(await moderator(threadWith([bad]))).toEqual({ role: 'fixer', prompt: 'Fix this' });
    expect(await moderator(threadWith([bad, fixed]))).toEqual({ role: 'checker', prompt: '' });
    const good = step('checker', { status: 'ok' });
    expect(await moderator(threadWith([bad, fixed, good]))).toEqual({
      role: '__end__',
      prompt: 'Fine',
    });
    const many = threadWith([bad, fixed, bad, fixed, bad]);
    expect(await moderator(many)).toMatchObject({ role: '__end__' });
  });

  it('hold only when the value is true', async () => {
    for (const when of ["'text'", '1', 'steps', 'nothing', 'null', 'false']) {
      const rules = withRules(
        { from: '$START', to: 'fixer', when },
        { from: '$START', to: 'checker' },
      );
      expect(await rules(threadWith([]))).toMatchObject({ role: 'checker' });
    }
  });

  it('say so when none holds', async () => {
    const rules = withRules({ from: '$START', to: 'checker', when: 'false' });
    expect(await codeOf(rules(threadWith([])))).toBe('no-route');
    expect(await codeOf(rules(threadWith([step('fixer', {})])))).toBe('no-route');
    await expect(rules(threadWith([]))).rejects.toThrow('"$START"');
  });

  it('are ended when they take too long', async () => {
    for (const when of [
      '($f := function($n) { $f($n + 1) }; $f(0))',
      '$count($map([1..9999999], function($i) { $i * 2 })) > 1',
    ]) {
      const rules = withRules({ from: '$START', to: 'checker', when });
      expect(await codeOf(rules(threadWith([])))).toBe('rule-limit');
    }
  });

  it('count each evaluation for itself', async () => {
    const when = '$count($map([1..9000], function($i) { $i + 1 })) = 9000';
    const rules = withRules({ from: '$START', to: 'checker', when });
    const routes = await Promise.all(Array.from({ length: 5 }, () => rules(threadWith([]))));
    expect(routes.every(({ role }) => role === 'checker')).toBe(true);
  });

  it('say what failed, and change nothing in the thread', async () => {
    const rules = withRules({ from: '$START', to: 'checker', when: "$number('x') = 1" });
    expect(await codeOf(rules(threadWith([])))).toBe('rule-failed');
    expect(() => withRules({ from: '$START', to: 'checker', when: 'a = ' })).toThrow('Rule 1');
    const steps = [step('checker', { list: [1, 2], status: 'ok' })];
    const before = JSON.stringify(steps);
    await moderator(threadWith(steps));
    const change = withRules(
      { from: '$START', to: 'checker' },
      { from: 'checker', to: 'fixer', when: '$exists($ ~> |steps|{"role": "x"}|)' },
    );
    await change(threadWith(steps));
    expect(JSON.stringify(steps)).toBe(before);
  });
});
