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

/** What is written in one line, and of which condition; null: it counts those that have no line. */
export type LabelLine = { text: string; condition: string | null };

/**
 * What is written at an edge, line by line. Nothing where control has no other way; one line where the edge runs beside the
 * column.
 */
export function labelLines(edge: ModelEdge, isOnlyWay: boolean, isAside: boolean): LabelLine[] {
  const conditions = edge.conditions.map(({ condition }) => condition);
  if (isOnlyWay && conditions.every(isUnconditional)) return [];
  const [first] = conditions;
  if (isAside && first !== undefined) return [lineAside(first, conditions.length)];
  if (conditions.length <= LABEL_LINES_MAX) return conditions.map(lineOf);
  const shown = conditions.slice(0, LABEL_LINES_MAX - 1);
  const more = { text: `+${conditions.length - shown.length} more`, condition: null };
  return [...shown.map(lineOf), more];
}

/** The lines of an edge that was taken under `condition`: where that had none it is the first. */
export function linesWhenTaken(
  { conditions, lines }: ModelEdge & { lines: LabelLine[] },
  condition: string,
): LabelLine[] {
  if (lines.length === 0 || lines.some((line) => line.condition === condition)) return lines;
  const isAside = lines.length === 1;
  return [isAside ? lineAside(condition, conditions.length) : lineOf(condition), ...lines.slice(1)];
}

function lineOf(condition: string): LabelLine {
  return { text: conditionWord(condition), condition };
}

/** The one line of so many conditions. */
function lineAside(condition: string, count: number): LabelLine {
  const text = conditionWord(condition);
  return { text: count > 1 ? `${text} +${count - 1}` : text, condition };
}

/** Room for lines, px; null where there are none. */
export function labelSize(lines: readonly LabelLine[]): { width: number; height: number } | null {
  if (lines.length === 0) return null;
  const longest = Math.max(...lines.map(({ text }) => text.length));
  const width = longest * LABEL_CHARACTER + LABEL_AROUND;
  return {
    width: Math.min(LABEL_WIDTH_MAX, Math.max(LABEL_WIDTH_MIN, width)),
    height: lines.length * LABEL_LINE,
  };
}

/** Whether the lines leave something out that only the full text says. */
export function isCut(edge: ModelEdge, lines: readonly LabelLine[]): boolean {
  if (edge.conditions.some(({ description }) => description !== null)) return true;
  if (lines.length < edge.conditions.length) return lines.length > 0;
  return lines.some(({ text }) => text.length * LABEL_CHARACTER + LABEL_AROUND > LABEL_WIDTH_MAX);
}
