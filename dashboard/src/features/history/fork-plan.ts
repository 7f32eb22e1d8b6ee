import type { StepJson } from '@uncaged/protocol/api';

/** A step that a fork can keep: its attempt that was committed. */
export type KeptStep = { seq: number; role: string; outcome: string | null };

type SeenStep = Pick<StepJson, 'seq' | 'role' | 'status' | 'meta'>;

export function committedSteps(steps: readonly SeenStep[]): KeptStep[] {
  return steps
    .filter(({ status }) => status === 'committed')
    .map(({ seq, role, meta }) => {
      const outcome = meta?.$status;
      return { seq, role, outcome: typeof outcome === 'string' ? outcome : null };
    });
}

/** The role of the step after the kept ones, as it was in this thread; null: there was none. */
export function nextRole(steps: readonly SeenStep[], keep: number): string | null {
  return steps.find(({ seq }) => seq === keep + 1)?.role ?? null;
}

/** What a fork keeps unless somebody says otherwise: all that is done, of a thread that is over all but the last step. */
export function usualKeep(steps: readonly SeenStep[], isCompleted: boolean): number {
  const done = committedSteps(steps).length;
  return isCompleted || nextRole(steps, done) === null ? Math.max(0, done - 1) : done;
}

/** What will happen, in words. */
export function forkWords(keep: number, next: string | null, otherWorkflow: boolean): string {
  const kept = keep === 0 ? 'Keeps no step' : keep === 1 ? 'Keeps step 1' : `Keeps steps 1–${keep}`;
  if (otherWorkflow) return `${kept}, then goes on with what the other version says comes next.`;
  if (next === null) return `${kept}, then goes on with what the workflow says comes next.`;
  return `${kept}, runs ${next} again.`;
}
