import type { ModelEdge } from './graph-model.js';
import {
  LABEL_AROUND,
  LABEL_CHARACTER,
  LABEL_LINE,
  LABEL_LINES_MAX,
  LABEL_WIDTH_MAX,
  LABEL_WIDTH_MIN,
} from './graph-sizes.js';
import { conditionWord, isUnconditional } from './sentinels.js';

/**
 * What is written at an edge, line by line. Nothing where control has no other way; one line where the edge runs beside the
 * column.
 */
export function labelLines(edge: ModelEdge, isOnlyWay: boolean, isAside: boolean): string[] {
  if (isOnlyWay && edge.conditions.every(({ condition }) => isUnconditional(condition))) return [];
  const words = edge.conditions.map(({ condition }) => conditionWord(condition));
  if (isAside) return words.length > 1 ? [`${words[0]} +${words.length - 1}`] : words;
  if (words.length <= LABEL_LINES_MAX) return words;
  const shown = words.slice(0, LABEL_LINES_MAX - 1);
  return [...shown, `+${words.length - shown.length} more`];
}

/** Room for lines, px; null where there are none. */
export function labelSize(lines: readonly string[]): { width: number; height: number } | null {
  if (lines.length === 0) return null;
  const longest = Math.max(...lines.map((line) => line.length));
  const width = longest * LABEL_CHARACTER + LABEL_AROUND;
  return {
    width: Math.min(LABEL_WIDTH_MAX, Math.max(LABEL_WIDTH_MIN, width)),
    height: lines.length * LABEL_LINE,
  };
}

/** Whether the lines leave something out that only the full text says. */
export function isCut(edge: ModelEdge, lines: readonly string[]): boolean {
  if (edge.conditions.some(({ description }) => description !== null)) return true;
  if (lines.length < edge.conditions.length) return lines.length > 0;
  return lines.some((line) => line.length * LABEL_CHARACTER + LABEL_AROUND > LABEL_WIDTH_MAX);
}
