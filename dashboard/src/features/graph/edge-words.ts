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

/** Whether control took this edge under this condition; where nothing tells under which, under any. */
export function isTaken(edge: TakenEdge, taken: TakenEdge | null | undefined): boolean {
  if (!taken || edge.from !== taken.from || edge.to !== taken.to) return false;
  if (taken.condition === null || edge.condition === null) return true;
  return isUnconditional(edge.condition) || edge.condition === taken.condition;
}
