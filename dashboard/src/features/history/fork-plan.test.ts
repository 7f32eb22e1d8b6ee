import type { StepJson } from '@uncaged/protocol/api';
import { describe, expect, it } from 'vitest';
import { committedSteps, forkWords, nextRole, usualKeep } from './fork-plan.js';

const step = (seq: number, role: string, status: StepJson['status'] = 'committed') => ({
  seq,
  role,
  status,
  meta: status === 'committed' ? { $status: 'ok' } : null,
});
const steps = [
  step(1, 'coder'),
  step(2, 'reviewer', 'failed'),
  step(2, 'reviewer'),
  step(3, 'coder'),
];

describe('a fork', () => {
  it('can keep what was committed, each step once', () => {
    expect(committedSteps(steps)).toEqual([
      { seq: 1, role: 'coder', outcome: 'ok' },
      { seq: 2, role: 'reviewer', outcome: 'ok' },
      { seq: 3, role: 'coder', outcome: 'ok' },
    ]);
  });

  it('runs the role again that came after the kept steps', () => {
    expect(nextRole(steps, 0)).toBe('coder');
    expect(nextRole(steps, 1)).toBe('reviewer');
    expect(nextRole(steps, 3)).toBeNull();
  });

  it('keeps all but the last step of what is over, and all before a step that failed', () => {
    expect(usualKeep(steps, true)).toBe(2);
    expect(usualKeep([...steps, step(4, 'reviewer', 'failed')], false)).toBe(3);
    expect(usualKeep([step(1, 'coder')], true)).toBe(0);
    expect(usualKeep([], false)).toBe(0);
  });

  it('says what will happen', () => {
    expect(forkWords(3, 'reviewer', false)).toBe('Keeps steps 1–3, runs reviewer again.');
    expect(forkWords(1, 'reviewer', false)).toBe('Keeps step 1, runs reviewer again.');
    expect(forkWords(0, 'coder', false)).toBe('Keeps no step, runs coder again.');
    expect(forkWords(2, null, false)).toMatch(/what the workflow says comes next/);
    expect(forkWords(2, 'coder', true)).toMatch(/what the other version says comes next/);
  });
});
