import type { ModelEdge } from './graph-model.js';
import type { TakenEdge } from './graph-props.js';
import { conditionWord, isUnconditional, wordOf } from './sentinels.js';

/** An edge in full: from where to where, and when. */
export function edgeWords({ from, to, conditions }: ModelEdge): string {
  const when = conditions.map(({ condition, description }) =>
    description === null
      ? conditionWord(condition)
      : `${conditionWord(condition)} (${description})`,
  );
  return `${wordOf(from)} → ${wordOf(to)}: ${when.join('; ')}`;
}

/** Whether control took an edge, and whether it was the last that it took. */
export type Taking = 'last' | 'before' | null;

/** Of an edge under a condition; with null as the condition, under any. */
export function takingOf(edge: TakenEdge, taken: readonly TakenEdge[] = []): Taking {
  const index = taken.findLastIndex((one) => isTaken(edge, one));
  if (index === -1) return null;
  return index === taken.length - 1 ? 'last' : 'before';
}

/** Where nothing tells under which condition it was taken, under any. */
function isTaken(edge: TakenEdge, taken: TakenEdge): boolean {
  if (edge.from !== taken.from || edge.to !== taken.to) return false;
  if (taken.condition === null || edge.condition === null) return true;
  return isUnconditional(edge.condition) || edge.condition === taken.condition;
}
