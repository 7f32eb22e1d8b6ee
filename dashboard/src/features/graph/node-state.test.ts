import { describe, expect, it } from 'vitest';
import { litRoles, nextVisit, takenEdges } from './node-state.js';
import { END, START } from './sentinels.js';

type Status = 'running' | 'committed' | 'failed' | 'interrupted' | 'cancelled';

const step = (seq: number, role: string, status: Status = 'committed', outcome?: string) => ({
  ...{ seq, role, status, meta: outcome === undefined ? null : { $status: outcome } },
});

describe('litRoles', () => {
  it('shows each role as its last attempt, and counts visits, not attempts', () => {
    const steps = [
      step(1, 'plan'),
      step(2, 'code', 'failed'),
      step(2, 'code'),
      step(3, 'review'),
      step(4, 'code', 'running'),
    ];
    const lit = litRoles(steps, 'running');
    expect(lit.plan).toEqual({ state: 'done', visits: 1 });
    expect(lit.code).toEqual({ state: 'running', visits: 2 });
    expect(lit[END]).toBeUndefined();
  });

  it('shows an interrupted and a cancelled attempt as failed, and what waits as waiting', () => {
    expect(litRoles([step(1, 'a', 'interrupted')], 'interrupted').a?.state).toBe('failed');
    expect(litRoles([step(1, 'a', 'cancelled')], 'cancelled').a?.state).toBe('failed');
    expect(litRoles([step(1, 'a', 'running')], 'waiting').a?.state).toBe('waiting');
  });

  it('lights the start with the first step and the end when the thread is completed', () => {
    expect(litRoles([], 'queued')[START]).toBeUndefined();
    expect(litRoles([step(1, 'a')], 'running')[START]?.state).toBe('done');
    expect(litRoles([step(1, 'a')], 'completed')[END]?.state).toBe('done');
  });

  it('takes any name for a role', () => {
    const lit = litRoles([step(1, 'toString')], 'running');
    expect(lit.toString).toEqual({
      state: 'done',
      visits: 1,
    });
    expect(litRoles([], 'running').constructor).toBeUndefined();
  });
});

it('marks the role that a thread broke at, also where its step was done', () => {
  const steps = [step(1, 'a', 'committed', 'ok'), step(2, 'b', 'committed', 'failed')];
  expect(litRoles(steps, 'failed')).toMatchObject({
    a: { state: 'done' },
    b: { state: 'failed', visits: 1 },
  });
});

describe('takenEdges', () => {
  it('ends with the way into the last step, under what the one before ended with', () => {
    const steps = [
      step(1, 'a', 'committed', 'ok'),
      step(2, 'b', 'failed'),
      step(2, 'b', 'running'),
    ];
    expect(takenEdges(steps, 'running')).toEqual([
      { from: START, to: 'a', condition: null },
      { from: 'a', to: 'b', condition: 'ok' },
    ]);
  });

  it('comes from the start at first and leads to the end at last', () => {
    const begin = { from: START, to: 'a', condition: null };
    expect(takenEdges([], 'queued')).toEqual([]);
    expect(takenEdges([step(1, 'a')], 'running')).toEqual([begin]);
    expect(takenEdges([step(1, 'a', 'committed', 'done')], 'completed')).toEqual([
      begin,
      { from: 'a', to: END, condition: 'done' },
    ]);
  });

  it('has an edge once for each outcome, where it was taken last', () => {
    const steps = [
      step(1, 'a', 'committed', 'ok'),
      step(2, 'b', 'committed', 'again'),
      step(3, 'a', 'committed', 'ok'),
      step(4, 'b', 'committed', 'again'),
      step(5, 'a', 'committed', 'odd'),
      step(6, 'b', 'running'),
    ];
    expect(takenEdges(steps, 'running')).toEqual([
      { from: START, to: 'a', condition: null },
      { from: 'a', to: 'b', condition: 'ok' },
      { from: 'b', to: 'a', condition: 'again' },
      { from: 'a', to: 'b', condition: 'odd' },
    ]);
  });
});

describe('nextVisit', () => {
  const steps = [step(1, 'a'), step(2, 'b'), step(3, 'a'), step(4, 'b'), step(5, 'a')];

  it('goes through the visits of a role and round again', () => {
    expect(nextVisit(steps, 'a', null)).toBe(1);
    expect(nextVisit(steps, 'a', 1)).toBe(3);
    expect(nextVisit(steps, 'a', 4)).toBe(5);
    expect(nextVisit(steps, 'a', 5)).toBe(1);
  });

  it('goes to the first step for the start and to the last for the end', () => {
    expect(nextVisit(steps, START, 3)).toBe(1);
    expect(nextVisit(steps, END, 3)).toBe(5);
  });

  it('has nowhere to go for a role that was not visited', () => {
    expect(nextVisit(steps, 'c', 1)).toBeNull();
    expect(nextVisit([], START, null)).toBeNull();
  });
});
