import type { PlacedThread, ThreadSummary } from '@uncaged/protocol/api';

/** A page of threads of one node, newest first. `nextCursor`: what is older than this id may follow; null: nothing does. */
export type NodePage = { node: string; items: readonly ThreadSummary[]; nextCursor: string | null };

/** Whether a node kept to what it was asked for: at most `limit`, strictly older one by one, older than the cursor. */
export function isPage(
  { items, nextCursor }: NodePage,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): boolean {
  if (items.length > limit) return false;
  let bound = cursor;
  for (const { threadId } of items) {
    if (bound !== undefined && threadId >= bound) return false;
    bound = threadId;
  }
  if (nextCursor === null) return true;
  // It must lead on, and must not leave out what the page does not hold.
  if (items.length > 0) return nextCursor <= items.at(-1)!.threadId;
  return cursor === undefined || nextCursor < cursor;
}

/**
 * The next page of all of them, newest first, at most `limit`. A node with more to come may still have something newer than
 * what another has already shown: nothing below the highest such cursor is given before that node was asked again. A thread
 * that several nodes have comes once: from where it is itself and not a copy from a pack, then from `hostOf` it, else from the
 * first.
 */
export function mergePages(
  pages: readonly NodePage[],
  limit: number,
  hostOf: (threadId: string) => string | null,
): { items: PlacedThread[]; nextCursor: string | null } {
  let frontier: string | null = null;
  const byId = new Map<string, PlacedThread>();
  for (const { node, items, nextCursor } of pages) {
    if (nextCursor !== null && (frontier === null || nextCursor > frontier)) frontier = nextCursor;
    for (const item of items) {
      const { threadId } = item;
      const before = byId.get(threadId);
      const isBetter =
        before === undefined ||
        (item.imported === before.imported
          ? hostOf(threadId) === node
          : before.imported && !item.imported);
      if (isBetter) byId.set(threadId, { ...item, node });
    }
  }
  const rows = [...byId.values()]
    .filter(({ threadId }) => frontier === null || threadId >= frontier)
    .sort((a, b) => (a.threadId < b.threadId ? 1 : -1));
  if (rows.length <= limit) return { items: rows, nextCursor: frontier };
  const items = rows.slice(0, limit);
  return { items, nextCursor: items.at(-1)!.threadId };
}
