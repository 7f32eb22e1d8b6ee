import type { Relative } from '@uncaged/protocol/api';

export type LineageRow = { relative: Relative; depth: number };

/**
 * The tree of relatives as lines from top to bottom, each below the one it hangs from. What hangs from something that is not
 * listed begins a tree of its own.
 */
export function lineageRows(items: readonly Relative[]): LineageRow[] {
  const listed = new Set(items.map(({ threadId }) => threadId));
  const below = new Map<string | null, Relative[]>();
  for (const item of items) {
    // Nothing can hang from itself; a list that says so must not lead round in a ring.
    const of =
      item.of !== null && listed.has(item.of) && item.of !== item.threadId ? item.of : null;
    const siblings = below.get(of);
    if (siblings) siblings.push(item);
    else below.set(of, [item]);
  }
  const rows: LineageRow[] = [];
  const waiting = [...(below.get(null) ?? [])]
    .reverse()
    .map((relative) => ({ relative, depth: 0 }));
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    const { relative, depth } = row;
    rows.push(row);
    for (const child of [...(below.get(relative.threadId) ?? [])].reverse())
      waiting.push({ relative: child, depth: depth + 1 });
  }
  return rows;
}

/** What a thread is to the one above it. */
export function relationWords({
  relation,
  of,
  atSeq,
}: Pick<Relative, 'relation' | 'of' | 'atSeq'>): string {
  if (relation === 'root') return 'the first';
  if (relation === 'fork') {
    const after = atSeq === 0 ? 'from the beginning' : atSeq === null ? '' : `after step ${atSeq}`;
    const whole = `fork ${after}`.trim();
    return of === null ? `${whole} of one that was removed` : whole;
  }
  const step = atSeq === null ? 'nested' : `nested: step ${atSeq} of it`;
  return of === null ? 'nested in one that was removed' : step;
}
