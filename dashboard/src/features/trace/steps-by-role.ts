import type { StepJson } from '@uncaged/protocol/api';

type SeenStep = Pick<StepJson, 'seq' | 'role'>;

/** Steps of each role, the newest first; roles in the order in which they came to their first turn. */
export function stepsByRole<T extends SeenStep>(
  steps: readonly T[],
): { role: string; steps: T[] }[] {
  const groups = new Map<string, T[]>();
  for (const step of steps) {
    const group = groups.get(step.role);
    if (group === undefined) groups.set(step.role, [step]);
    else group.unshift(step);
  }
  return [...groups].map(([role, ofRole]) => ({ role, steps: ofRole }));
}

/** The steps before and after one, in the order in which they ran; null: there is none. */
export function neighboursOf<T extends SeenStep>(
  steps: readonly T[],
  seq: number,
): { before: T | null; after: T | null } {
  return {
    before: steps.findLast((step) => step.seq < seq) ?? null,
    after: steps.find((step) => step.seq > seq) ?? null,
  };
}
