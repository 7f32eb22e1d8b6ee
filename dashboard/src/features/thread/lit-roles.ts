import type { StepJson, ThreadDetail } from '@uncaged/protocol/api';
import type { RoleState, TakenEdge } from '../graph/index.js';

const STATES: Record<StepJson['status'], RoleState> = {
  running: 'running',
  committed: 'done',
  failed: 'failed',
  interrupted: 'failed',
  cancelled: 'failed',
};

/** How each role stands: its last attempt, and how often it was visited (attempts of one visit count once). */
export function litRoles(
  steps: readonly StepJson[],
  status: ThreadDetail['status'],
): Record<string, { state: RoleState; visits: number }> {
  const lit: Record<string, { state: RoleState; visits: number }> = Object.create(null);
  const visited = new Set<number>();
  for (const step of steps) {
    const before = lit[step.role]?.visits ?? 0;
    const visits = visited.has(step.seq) ? before : before + 1;
    visited.add(step.seq);
    lit[step.role] = { state: STATES[step.status], visits };
  }
  const last = steps.at(-1);
  if (status === 'waiting' && last !== undefined && lit[last.role] !== undefined)
    lit[last.role] = { ...lit[last.role]!, state: 'waiting' };
  return lit;
}

/** The way control went last. */
export function lastEdge(steps: readonly StepJson[]): TakenEdge | null {
  const last = steps.at(-1);
  if (last === undefined) return null;
  const before = steps.findLast(({ seq }) => seq < last.seq);
  const status = before?.meta?.$status;
  return {
    from: before?.role ?? '__start__',
    to: last.role,
    condition: typeof status === 'string' ? status : null,
  };
}
