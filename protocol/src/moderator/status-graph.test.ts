import { describe, expect, it } from 'vitest';
import { isProblem } from '../problem/index.js';
import { createModerator } from './index.js';
import { definitionOf } from './sample-definition.test-data.js';
import { step, threadWith } from './thread.test-data.js';

const moderator = createModerator(
  definitionOf({
    roles: { checker: { run: 'true' }, fixer: {}, constructor: {} },
    graph: {
      $START: { _: { role: 'checker', prompt: 'Check {{{branch}}}: {{{prompt}}}' } },
      checker: {
        ok: { role: '$END', prompt: 'Fine: {{{note}}}' },
        bad: {
          role: 'fixer',
          prompt: '{{{start.prompt}}} / {{{issues}}} / {{{start.inputs.branch}}}',
        },
      },
      fixer: { _: { role: 'checker' } },
      constructor: { ok: { role: '$END' } },
    },
  }),
);

const route = (steps: ReturnType<typeof step>[]) =>
  moderator(threadWith(steps, { prompt: 'Look <here>', inputs: { branch: 'main' } }));

function problemOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (isProblem(error)) return error;
    throw error;
  }
  throw new Error('no problem');
}

describe('the status graph', () => {
  it('begins at $START with prompt and inputs', () => {
    expect(route([])).toEqual({ role: 'checker', prompt: 'Check main: Look <here>' });
  });

  it('follows the status of the last step', () => {
    const bad = step('checker', { $status: 'bad', issues: ['a', { b: 1 }] });
    expect(route([bad])).toEqual({ role: 'fixer', prompt: 'Look <here> / ["a",{"b":1}] / main' });
    expect(route([bad, step('fixer', { $status: 'whatever' })])).toEqual({
      role: 'checker',
      prompt: '',
    });
    expect(route([bad, step('fixer', {})])).toEqual({ role: 'checker', prompt: '' });
    expect(route([step('checker', { $status: 'ok', note: 'x' })])).toEqual({
      role: '__end__',
      prompt: 'Fine: x',
    });
  });

  it('says which statuses there are when none fits', () => {
    const problem = problemOf(() => route([step('checker', { $status: 'odd' })]));
    expect(problem.code).toBe('no-route');
    expect(problem.message).toContain('"checker" ended with $status "odd"');
    expect(problem.message).toContain('ok, bad');
    expect(problem.details).toEqual({ role: 'checker', status: 'odd', statuses: ['ok', 'bad'] });
    expect(problemOf(() => route([step('checker', {})])).message).toContain('without a $status');
    expect(problemOf(() => route([step('checker', { $status: 1 })])).message).toContain(
      '"checker" answered with a $status that is not text (1)',
    );
    expect(problemOf(() => route([step('gone', {})])).message).toContain('it has no edges');
  });

  it('finds nothing in prototypes', () => {
    expect(problemOf(() => route([step('checker', { $status: 'constructor' })])).code).toBe(
      'no-route',
    );
    expect(problemOf(() => route([step('toString', { $status: 'ok' })])).code).toBe('no-route');
    expect(route([step('constructor', { $status: 'ok' })])).toMatchObject({ role: '__end__' });
  });

  it('does not let "_" hide that a script failed', () => {
    const scripts = createModerator(
      definitionOf({
        roles: { build: { run: 'make' } },
        graph: { $START: { _: { role: 'build' } }, build: { _: { role: '$END' } } },
      }),
    );
    expect(scripts(threadWith([step('build', { $status: 'ok' })]))).toMatchObject({
      role: '__end__',
    });
    const failed = threadWith([step('build', { $status: 'failed' })]);
    expect(problemOf(() => scripts(failed)).code).toBe('no-route');
  });

  it('reads only the last of many steps', () => {
    const steps = Array.from({ length: 1000 }, () => step('fixer', {}));
    const untouched = new Proxy(steps, {
      get(target, key) {
        if (key === 'at' || key === 'length' || key === '999') return Reflect.get(target, key);
        throw new Error(`read ${String(key)}`);
      },
    });
    expect(moderator({ ...threadWith([]), steps: untouched })).toMatchObject({ role: 'checker' });
  });
});
