import type { Lineage, Relative } from '@uncaged/protocol/api';
import type { ThreadId } from '@uncaged/protocol/ids';
import type { Store, ThreadRow } from '../store/index.js';
import { LINEAGE_MAX } from './limits.js';
import { threadSummary } from './thread.js';

/** Threads that were found, by id; a thread is found once, whatever a pack may claim of who comes from whom. */
type Found = Map<ThreadId, ThreadRow>;

/**
 * The tree that a thread belongs to: what it was forked from or is nested in, up to the first one, and all that comes from
 * that. Depth first, siblings oldest first, LINEAGE_MAX at most: then the way up to the first comes before those below it,
 * and these before the rest. When a source was removed its forks stand side by side, each with `of` null.
 */
export function lineage(store: Store, thread: ThreadRow): Lineage {
  return store.read(() => {
    const found: Found = new Map();
    const { tops, isCut: isPathCut } = climb(store, thread, found);
    const isBelowCut = descend(store, [thread], found);
    const isRestCut = descend(store, tops, found);
    return {
      threadId: thread.id,
      items: inOrder(found, new Set(tops.map(({ id }) => id))),
      isCut: isPathCut || isBelowCut || isRestCut,
    };
  });
}

function sourceOf({ forkedFrom, parent }: ThreadRow): ThreadId | null {
  return forkedFrom ?? parent;
}

/** Adds the way from the thread to the top; the tops are several where they come from one that was removed. */
function climb(
  store: Store,
  thread: ThreadRow,
  found: Found,
): { tops: ThreadRow[]; isCut: boolean } {
  let top = thread;
  found.set(top.id, top);
  for (;;) {
    const of = sourceOf(top);
    if (of === null || found.has(of)) return { tops: [top], isCut: false };
    const source = store.threads.get(of);
    if (source === null) return { tops: withSiblings(store, top, of), isCut: false };
    if (found.size >= LINEAGE_MAX) return { tops: [top], isCut: true };
    found.set(source.id, source);
    top = source;
  }
}

function withSiblings(store: Store, top: ThreadRow, removed: ThreadId): ThreadRow[] {
  const others = store.threads
    .relatives(removed, LINEAGE_MAX + 1)
    .filter(({ id }) => id !== top.id);
  return [top, ...others];
}

/** Adds what comes from these, nearest first, as long as there is room. True when something was left out. */
function descend(store: Store, from: readonly ThreadRow[], found: Found): boolean {
  const queue = [...from];
  const seen = new Set(from.map(({ id }) => id));
  for (const row of queue) {
    if (!found.has(row.id) && found.size >= LINEAGE_MAX) return true;
    found.set(row.id, row);
    for (const next of store.threads.relatives(row.id, LINEAGE_MAX + 1)) {
      if (seen.has(next.id)) continue;
      seen.add(next.id);
      queue.push(next);
      if (queue.length > LINEAGE_MAX + found.size) break;
    }
  }
  return false;
}

/** A top hangs from nothing, also where a pack makes threads come from each other in a circle. */
function inOrder(found: Found, tops: ReadonlySet<ThreadId>): Relative[] {
  const ofWhich = (row: ThreadRow) => {
    const of = sourceOf(row);
    return of !== null && found.has(of) && !tops.has(row.id) ? of : null;
  };
  const below = new Map<ThreadId | null, ThreadRow[]>();
  for (const row of [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const key = ofWhich(row);
    below.set(key, [...(below.get(key) ?? []), row]);
  }
  const items: Relative[] = [];
  const stack = [...(below.get(null) ?? [])].reverse();
  for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
    items.push(relative(row, ofWhich(row)));
    stack.push(...[...(below.get(row.id) ?? [])].reverse());
  }
  return items;
}

function relative(row: ThreadRow, of: ThreadId | null): Relative {
  const relation = row.forkedFrom !== null ? 'fork' : row.parent !== null ? 'child' : 'root';
  return {
    ...threadSummary(row),
    relation,
    of,
    atSeq: relation === 'fork' ? row.forkedSeq : row.parentSeq,
  };
}
