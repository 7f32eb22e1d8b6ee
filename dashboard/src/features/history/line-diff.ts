import { diffLines } from 'diff';
import { DIFF_MAX_MS } from '../../limits.js';

/** Lines that both have, or that only one of them has; or lines that are the same and are left out. */
export type DiffBlock =
  | { kind: 'same' | 'a' | 'b'; lines: string[] }
  | { kind: 'skipped'; count: number };

/** Lines that are the same are shown so far around a difference. */
const CONTEXT_LINES = 3;

/** Two texts line by line; null: they differ so much that it takes too long to say how. */
export function lineDiff(a: string, b: string): DiffBlock[] | null {
  const changes = diffLines(withLineEnd(a), withLineEnd(b), { timeout: DIFF_MAX_MS });
  if (changes === undefined) return null;
  return changes.flatMap(({ value, added, removed }, index): DiffBlock[] => {
    const lines = value.replace(/\n$/, '').split('\n');
    if (removed) return [{ kind: 'a', lines }];
    if (added) return [{ kind: 'b', lines }];
    return shorten(lines, index === 0, index === changes.length - 1);
  });
}

/** Whether the last line ends is not worth a difference. */
function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function shorten(lines: string[], isFirst: boolean, isLast: boolean): DiffBlock[] {
  const before = isFirst ? 0 : CONTEXT_LINES;
  const after = isLast ? 0 : CONTEXT_LINES;
  const count = lines.length - before - after;
  // One line left out takes as much room as it does.
  if (count <= 1) return [{ kind: 'same', lines }];
  const blocks: DiffBlock[] = [
    { kind: 'same', lines: lines.slice(0, before) },
    { kind: 'skipped', count },
    { kind: 'same', lines: after === 0 ? [] : lines.slice(-after) },
  ];
  return blocks.filter((block) => block.kind === 'skipped' || block.lines.length > 0);
}
