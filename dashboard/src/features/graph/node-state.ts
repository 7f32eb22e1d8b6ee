import type { StepJson, ThreadDetail } from '@uncaged/protocol/api';
import type { GraphProps, RoleState, TakenEdge } from './graph-props.js';
import { END, START } from './sentinels.js';

type SeenStep = Pick<StepJson, 'seq' | 'role' | 'status' | 'meta'>;

const STATES: Record<StepJson['status'], RoleState> = {
  running: 'running',
  committed: 'done',
  failed: 'failed',
  interrupted: 'failed',
  cancelled: 'failed',
};

/**
 * How each role stands: as its last attempt, and how often it was visited (attempts of one visit count once). Start and end
 * are lit once control has left or reached them.
 */
export function litRoles(
  steps: readonly SeenStep[],
  status: ThreadDetail['status'],
): NonNullable<GraphProps['lit']> {
  // Roles are anybody's names, "__proto__" too.
  const lit: Record<string, { state: RoleState; visits: number }> = Object.create(null);
  const visited = new Set<number>();
  for (const step of steps) {
    const before = lit[step.role]?.visits ?? 0;
    const visits = visited.has(step.seq) ? before : before + 1;
    visited.add(step.seq);
    lit[step.role] = { state: STATES[step.status], visits };
  }
  const last = steps.at(-1);
  if (last === undefined) return lit;
  if (status === 'waiting') lit[last.role] = { ...lit[last.role]!, state: 'waiting' };
  // The step is done, but nothing leads on from what came out of it: that is where the thread broke.
  if (status === 'failed') lit[last.role] = { ...lit[last.role]!, state: 'failed' };
  lit[START] = { state: 'done', visits: 1 };
  if (status === 'completed') lit[END] = { state: 'done', visits: 1 };
  return lit;
}

/** The way control went, from the start on: each edge once, in the order in which they were taken last. */
export function takenEdges(
  steps: readonly SeenStep[],
  status: ThreadDetail['status'],
): TakenEdge[] {
  const taken = new Map<string, TakenEdge>();
  const take = (from: SeenStep | undefined, to: string) => {
    const edge = { from: from?.role ?? START, to, condition: outcomeOf(from) };
    const key = JSON.stringify(edge);
    taken.delete(key);
    taken.set(key, edge);
  };
  // Of a step only what its last attempt came to led on.
  const visits = steps.filter(({ seq }, index) => steps[index + 1]?.seq !== seq);
  for (const [index, { role }] of visits.entries()) take(visits[index - 1], role);
  if (status === 'completed' && visits.length > 0) take(visits.at(-1), END);
  return [...taken.values()];
}

function outcomeOf(step: SeenStep | undefined): string | null {
  const status = step?.meta?.$status;
  return typeof status === 'string' ? status : null;
}

/**
 * The step to show when a node is chosen: the first for the start, the last for the end, for a role its next visit after the
 * step shown, and after the last the first again. Null: it was not visited.
 */
export function nextVisit(
  steps: readonly SeenStep[],
  role: string,
  shown: number | null,
): number | null {
  if (role === START) return steps[0]?.seq ?? null;
  if (role === END) return steps.at(-1)?.seq ?? null;
  const visits = steps.filter((step) => step.role === role);
  const next = visits.find(({ seq }) => shown !== null && seq > shown);
  return (next ?? visits[0])?.seq ?? null;
}
