import type { Hash, ThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { StepRow, Store, ThreadRow } from '../store/index.js';
import { OPEN_ATTEMPTS_MAX, PAGE_ROWS } from './limits.js';

/**
 * A thread as it was at one moment. Its committed steps are never changed after that, so they may be read later, page by page;
 * the attempts at the step that was not done yet are read at once.
 */
export type Snapshot = { row: ThreadRow; open: StepRow[] };

/** Null when there is no such thread. */
export function takeSnapshot(store: Store, id: ThreadId): Snapshot | null {
  return store.read(() => {
    const row = store.threads.get(id);
    if (row === null) return null;
    const after = { seq: row.steps, attempt: Number.MAX_SAFE_INTEGER };
    return { row, open: store.steps.list(id, { after, limit: OPEN_ATTEMPTS_MAX }) };
  });
}

/** All attempts, a page at a time, in order. Throws thread-not-found when the thread was removed meanwhile. */
export function* attemptPages(
  store: Store,
  { row, open }: Snapshot,
): Generator<StepRow[], void, undefined> {
  let after = { seq: 0, attempt: 0 };
  let committed = 0;
  for (;;) {
    const page = store.steps.list(row.id, { after, limit: PAGE_ROWS });
    const settled = page.filter(({ seq }) => seq <= row.steps);
    committed += settled.filter(({ status }) => status === 'committed').length;
    if (settled.length > 0) yield settled;
    const last = page.at(-1);
    if (last === undefined || settled.length < page.length || page.length < PAGE_ROWS) break;
    after = { seq: last.seq, attempt: last.attempt };
  }
  if (committed !== row.steps)
    throw new Problem(
      'thread-not-found',
      `Thread ${row.id} was removed while it was being packed; the pack is of no use.`,
    );
  if (open.length > 0) yield open;
}

/** What the nodes of a thread hang from, the oldest first. */
export function rootsOf({ row }: Snapshot, states: readonly Hash[]): Hash[] {
  const version = row.kind === 'definition' ? [row.version] : [];
  return [...version, row.start, ...states, row.head];
}
