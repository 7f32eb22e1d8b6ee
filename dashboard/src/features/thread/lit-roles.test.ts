import type { StepJson } from '@uncaged/protocol/api';
import { expect, it } from 'vitest';
import { lastEdge, litRoles } from './lit-roles.js';

const step = (seq: number, role: string, status: StepJson['status'] = 'committed', attempt = 1) =>
  ({ seq, role, status, attempt, meta: { $status: 'done' } }) as unknown as StepJson;

it('lights each role by its last attempt and counts visits, not attempts', () => {
  const steps = [
    step(1, 'coder', 'failed'),
    step(1, 'coder', 'committed', 2),
    step(2, 'reviewer'),
    step(3, 'coder', 'running'),
  ];
  expect(litRoles(steps, 'running')).toEqual({
    coder: { state: 'running', visits: 2 },
    reviewer: { state: 'done', visits: 1 },
  });
});

it('knows who waits for a person', () => {
  expect(litRoles([step(1, 'coder', 'interrupted')], 'waiting').coder?.state).toBe('waiting');
});

it('has no trouble with a role that is called like a part of every object', () => {
  expect(litRoles([step(1, 'constructor')], 'running').constructor).toEqual({
    state: 'done',
    visits: 1,
  });
});

it('tells the way that control went last', () => {
  expect(lastEdge([])).toBeNull();
  expect(lastEdge([step(1, 'coder')])).toEqual({ from: '__start__', to: 'coder', condition: null });
  expect(
    lastEdge([step(1, 'coder'), step(2, 'reviewer'), step(2, 'reviewer', 'running', 2)]),
  ).toEqual({
    from: 'coder',
    to: 'reviewer',
    condition: 'done',
  });
});
