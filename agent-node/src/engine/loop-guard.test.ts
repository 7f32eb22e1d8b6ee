import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOOP_PERIOD_MAX } from './limits.js';
import { createLoopGuard } from './loop-guard.js';

const step = (role: string, meta: Record<string, unknown> = {}) => ({ role, meta });

/** Steps that were taken until the guard stopped the next one; null when it never did. */
function stoppedAfter(
  steps: readonly ReturnType<typeof step>[],
  bounded: readonly string[] = [],
): number | null {
  const guard = createLoopGuard((role) => bounded.includes(role));
  for (const [taken, next] of steps.entries()) {
    if (guard.isLoop(next.role)) return taken;
    guard.add(next);
  }
  return null;
}

const repeat = <T>(items: readonly T[], times: number): T[] =>
  Array.from({ length: times }, () => items).flat();

describe('the loop guard', () => {
  it('stops coder and reviewer who tell each other the same, after the third time', () => {
    const pair = [step('coder', { $status: 'done' }), step('reviewer', { $status: 'rejected' })];
    expect(stoppedAfter(repeat(pair, 10))).toBe(6);
    expect(stoppedAfter([step('planner'), ...repeat(pair, 10)])).toBe(7);
  });

  it('sees no difference in the order of keys', () => {
    const a = step('a', { x: 1, y: { p: 1, q: [2] } });
    const b = step('a', { y: { q: [2], p: 1 }, x: 1 });
    expect(stoppedAfter([a, b, a, b, a])).toBe(3);
  });

  it('lets go on what makes progress, however small', () => {
    const steps = Array.from({ length: 200 }, (_, n) => [
      step('coder', { $status: 'done', left: 200 - n }),
      step('reviewer', { $status: 'rejected' }),
    ]).flat();
    expect(stoppedAfter(steps)).toBeNull();
  });

  it('lets roles go round that are all bounded by their author, and no circle with another one in it', () => {
    const poll = [step('ask'), step('wait')];
    expect(stoppedAfter(repeat(poll, 30), ['ask', 'wait'])).toBeNull();
    expect(stoppedAfter(repeat(poll, 30), ['ask'])).toBe(6);
    expect(stoppedAfter(repeat([step('ask')], 30), ['ask'])).toBeNull();
    // Rounds of a bounded role within a longer circle of others.
    const longer = [...repeat([step('ask')], 4), step('coder')];
    expect(stoppedAfter(repeat(longer, 9), ['ask'])).toBe(15);
  });

  it('lets a thread leave the circle after the third time', () => {
    const pair = [step('coder'), step('reviewer')];
    expect(stoppedAfter([...repeat(pair, 3), step('writer')])).toBeNull();
  });

  it('stops any circle up to its bound after three rounds, and not before', () => {
    const roles = fc.uniqueArray(fc.nat(1_000), { minLength: 1, maxLength: LOOP_PERIOD_MAX });
    fc.assert(
      fc.property(roles, fc.array(fc.nat(1_000), { maxLength: 20 }), (circle, before) => {
        // No role of what came before is in the circle, and none is there twice.
        const lead = [...new Set(before)].map((n) => step(`before-${n}`));
        const steps = circle.map((n) => step(`r${n}`, { n }));
        expect(stoppedAfter([...lead, ...repeat(steps, 4)])).toBe(lead.length + 3 * steps.length);
      }),
    );
  });

  it('never stops steps of which the last two rounds of every length differ somewhere', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 60 }), (numbers) => {
        const steps = numbers.map((n, at) => step(`r${n}`, { at }));
        expect(stoppedAfter(steps)).toBeNull();
      }),
    );
  });
});
