import type { PlacedThread } from '@uncaged/protocol/api';
import type { ThreadFilters } from '../../api/index.js';
import { placeOf } from '../live/index.js';

type Live = { threads: Record<string, PlacedThread>; removed: Record<string, true> };

/** Whether a row belongs in a list; as the node's own list decides it. */
export function matches(
  thread: PlacedThread,
  { status, workflow, node, q }: ThreadFilters,
): boolean {
  if (status.length > 0 && !status.includes(thread.status)) return false;
  if (workflow !== '' && thread.workflow !== workflow) return false;
  if (node !== '' && thread.node !== node) return false;
  if (q === '') return true;
  const begins = (text: string) => text.toLowerCase().startsWith(q.toLowerCase());
  return begins(thread.threadId) || begins(thread.workflow) || begins(thread.prompt);
}

/**
 * Rows of a list with what the stream has told since they were loaded, newest first. `complete`: there is no page after the
 * loaded ones; otherwise rows that belong further down wait for their page.
 */
export function mergeThreads(
  loaded: readonly PlacedThread[],
  live: Live,
  filters: ThreadFilters,
  complete: boolean,
): PlacedThread[] {
  const rows = new Map(loaded.map((row) => [placeOf(row.node, row.threadId), row]));
  const last = loaded.at(-1)?.threadId;
  for (const [place, thread] of Object.entries(live.threads)) {
    const row = rows.get(place);
    const belongsHere = complete || (last !== undefined && thread.threadId > last);
    if (row === undefined ? belongsHere : row.updatedAt <= thread.updatedAt)
      rows.set(place, thread);
  }
  return [...rows]
    .filter(([place, row]) => live.removed[place] === undefined && matches(row, filters))
    .map(([, row]) => row)
    .sort((a, b) => (a.threadId < b.threadId ? 1 : a.threadId > b.threadId ? -1 : 0));
}
