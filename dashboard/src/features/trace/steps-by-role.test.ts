import { expect, it } from 'vitest';
import { neighboursOf, stepsByRole } from './steps-by-role.js';

const steps = [
  { seq: 1, role: 'plan' },
  { seq: 3, role: 'constructor' },
  { seq: 4, role: 'plan' },
  { seq: 7, role: 'plan' },
];

it('groups steps by role, the newest first', () => {
  expect(stepsByRole(steps).map(({ role, steps }) => [role, steps.map(({ seq }) => seq)])).toEqual([
    ['plan', [7, 4, 1]],
    ['constructor', [3]],
  ]);
  expect(stepsByRole([])).toEqual([]);
});

it('knows the step before and the step after, also of one that is not among them', () => {
  expect(neighboursOf(steps, 3)).toEqual({ before: steps[0], after: steps[2] });
  expect(neighboursOf(steps, 1).before).toBeNull();
  expect(neighboursOf(steps, 7).after).toBeNull();
  expect(neighboursOf(steps, 5)).toEqual({ before: steps[2], after: steps[3] });
});
