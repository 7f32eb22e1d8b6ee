import type { Hash } from '@uncaged/protocol/ids';
import type { Connection } from './connection.js';
import type { Marked } from './gc-mark.js';
import { countShared, createIdSet } from './id-set.js';
import type { Nodes } from './node-table.js';
import { afterReading, createPace, type Relief, slice, writeSlice } from './slices.js';
import type { UpkeepProgress } from './upkeep-types.js';

export type Swept = { entries: number; bytes: number; kept: number };

type SweepInput = {
  marked: Marked;
  registryRoots: Iterable<Hash>;
  /** Only what was touched before this goes, ms since epoch. */
  cutoff: number;
  dryRun: boolean;
  relief: Relief;
};

type Candidate = { size: number; touched: number; damaged: number; hash: Buffer };

/**
 * Deletes what the mark has not found, after having asked again about each, in the transaction that deletes it: whether another
 * node refers to it, a step or a thread needs it, or somebody touched it. From the largest id down, so that a node is asked
 * about after those that refer to it: then a reference to it that is left is one of a node that stays.
 */
export function createSweeper(connection: Connection, nodes: Nodes) {
  const candidate = connection.query<Candidate>(
    'SELECT size, touched, damaged, hash FROM node WHERE id=?',
  );
  const referrer = connection.value<number>('SELECT 1 FROM ref WHERE dst=? LIMIT 1');
  const referrers = connection.query<{ src: number }>('SELECT src FROM ref WHERE dst=?');
  const step = connection.value<number>('SELECT 1 FROM step WHERE node=? LIMIT 1');
  const changed = connection.query<{ seq: number; start: number; head: number }>(`
    SELECT event.seq, thread.start, thread.head FROM event JOIN thread ON thread.id=event.thread
    WHERE event.seq>? ORDER BY event.seq`);
  const deleteRefs = connection.change('DELETE FROM ref WHERE src=?');
  const deleteNode = connection.change('DELETE FROM node WHERE id=?');
  const deleteQuarantined = connection.change('DELETE FROM quarantine WHERE hash=?');

  return async function* sweep({
    marked: { present, needed, lastSeq },
    registryRoots,
    cutoff,
    dryRun,
    relief,
  }: SweepInput): AsyncGenerator<UpkeepProgress, Swept, undefined> {
    const total = present.size - countShared(present, needed);
    const gone = createIdSet(dryRun ? present.max : 0);
    const swept: Swept = { entries: 0, bytes: 0, kept: 0 };
    const isTime = createPace();
    let seq = lastSeq;
    let at = present.max + 1;
    let done = 0;
    for (const hash of registryRoots) {
      const id = nodes.idOf(hash);
      if (id !== null) needed.add(id);
    }

    /** Threads that began or moved on since the mark; whatever does that writes an event. */
    function keepChanged(): void {
      for (const row of changed.all(seq)) {
        needed.add(row.start);
        needed.add(row.head);
        seq = row.seq;
      }
    }

    function isReferred(id: number): boolean {
      if (step(id) !== undefined) return true;
      if (!dryRun) return referrer(id) !== undefined;
      return referrers.all(id).some(({ src }) => !gone.has(src));
    }

    function drop(id: number, { size, hash, damaged }: Candidate): void {
      swept.entries += 1;
      swept.bytes += size;
      if (dryRun) {
        gone.add(id);
        return;
      }
      deleteRefs(id);
      deleteNode(id);
      if (damaged !== 0) deleteQuarantined(hash);
    }

    /** Looks at the next one. False when there is none. */
    function next(): boolean {
      do at = present.below(at);
      while (at > 0 && needed.has(at));
      if (at === 0) return false;
      done += 1;
      const row = candidate.get(at);
      if (row === undefined) return true;
      if (row.touched >= cutoff || isReferred(at)) swept.kept += 1;
      else drop(at, row);
      return true;
    }

    function work(): boolean {
      keepChanged();
      return slice(next);
    }

    for (let isMore = true; isMore; ) {
      const before = { ...swept, at, done, seq };
      if (dryRun) {
        isMore = work();
        await afterReading();
      } else {
        isMore = await withoutForeignKeys(connection, () => {
          // The slice before this try was rolled back, if there was one.
          Object.assign(swept, { entries: before.entries, bytes: before.bytes, kept: before.kept });
          ({ at, done, seq } = before);
          return work();
        });
        await relief();
      }
      if (isTime()) yield { phase: 'sweep', done, total };
    }
    return swept;
  };
}

/**
 * With foreign keys on, SQLite looks through all threads for each node that is deleted, for their starts and heads have no
 * index. Whether a thread needs it was asked before, so it need not ask again.
 */
function withoutForeignKeys<T>(connection: Connection, work: () => T): Promise<T> {
  return writeSlice(connection, work, {
    before: () => connection.exec('PRAGMA foreign_keys=OFF'),
    after: () => connection.exec('PRAGMA foreign_keys=ON'),
  });
}
