import type { ThreadId } from '@uncaged/protocol/ids';
import type { Connection } from './connection.js';
import { createIdSet } from './id-set.js';
import { DAMAGE_THREADS_MAX, UPKEEP_PAGE_ROWS } from './limits.js';
import { afterReading, slice } from './slices.js';
import type { Damage } from './upkeep-types.js';

/** Which threads reach a node: from it backwards along the references, up to the states and starts of threads. */
export function createDamageTrace(connection: Connection) {
  const maxId = connection.value<number>('SELECT max(id) FROM node');
  const referrers = connection.query<{ src: number }>('SELECT src FROM ref WHERE dst=?');
  const ofStep = connection.query<{ thread: ThreadId }>(
    'SELECT DISTINCT thread FROM step WHERE node=? LIMIT ?',
  );
  const ends = connection.query<{ id: ThreadId; start: number; head: number }>(
    'SELECT id, start, head FROM thread WHERE id>? ORDER BY id LIMIT ?',
  );

  return async (ids: readonly number[]): Promise<Pick<Damage, 'threads' | 'isCut'>> => {
    const threads = new Set<ThreadId>();
    const seen = createIdSet(maxId() ?? 0);
    for (const id of ids) seen.add(id);
    const open = [...ids];
    const isFull = (): boolean => threads.size > DAMAGE_THREADS_MAX;
    const next = (): boolean => {
      const id = open.pop();
      if (id === undefined || isFull()) return false;
      for (const { thread } of ofStep.all(id, DAMAGE_THREADS_MAX + 1)) threads.add(thread);
      for (const { src } of referrers.all(id)) {
        if (seen.add(src)) open.push(src);
      }
      return true;
    };
    while (slice(next)) await afterReading();
    // Those without steps, and those whose last state is no step's: their ends.
    for (let after = ''; !isFull(); ) {
      const page = ends.all(after, UPKEEP_PAGE_ROWS);
      for (const { id, start, head } of page)
        if (seen.has(start) || seen.has(head)) threads.add(id);
      if (page.length < UPKEEP_PAGE_ROWS) break;
      after = page.at(-1)!.id;
      await afterReading();
    }
    const named = [...threads].sort();
    return {
      threads: named.slice(0, DAMAGE_THREADS_MAX),
      isCut: named.length > DAMAGE_THREADS_MAX,
    };
  };
}
