import { createHash } from 'node:crypto';
import type { Step } from '@uncaged/protocol/workflow';
import { LOOP_PERIOD_MAX, LOOP_REPEATS } from './limits.js';

type LoopGuard = {
  /** A step that is through; the same work at step 1,000 as at step 10. */
  add: (step: Pick<Step, 'role' | 'meta'>) => void;
  /** Whether the last steps are the same sequence so many times in a row, and `role` would begin it once more. */
  isLoop: (role: string) => boolean;
};

/**
 * Sees threads that go round in circles: the same roles with the same metas, LOOP_REPEATS times in a row, in circles of up
 * to LOOP_PERIOD_MAX steps. For each length it counts how many steps in a row equal the one that length before. A circle of
 * nothing but roles that are `bounded` is none: their author has said how often each may be visited.
 */
export function createLoopGuard(bounded: (role: string) => boolean = () => false): LoopGuard {
  /** The last steps, newest last. */
  const last: { role: string; key: string }[] = [];
  const equal = new Array<number>(LOOP_PERIOD_MAX + 1).fill(0);
  return {
    add: (step) => {
      const key = keyOf(step);
      for (let period = 1; period <= LOOP_PERIOD_MAX; period++)
        equal[period] = last.at(-period)?.key === key ? equal[period]! + 1 : 0;
      last.push({ role: step.role, key });
      if (last.length > LOOP_PERIOD_MAX) last.shift();
    },
    isLoop: (role) =>
      equal.some(
        (count, period) =>
          period > 0 &&
          count >= period * (LOOP_REPEATS - 1) &&
          last.at(-period)?.role === role &&
          !last.slice(-period).every((step) => bounded(step.role)),
      ),
  };
}

/** Metas may be long, and the order of their keys says nothing. */
function keyOf({ role, meta }: Pick<Step, 'role' | 'meta'>): string {
  return createHash('sha1')
    .update(JSON.stringify([role, meta], sortKeys))
    .digest('base64');
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
