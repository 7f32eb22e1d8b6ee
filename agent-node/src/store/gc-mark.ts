import type { Hash } from '@uncaged/protocol/ids';
import type { Connection } from './connection.js';
import { createIdSet, type IdSet } from './id-set.js';
import { UPKEEP_PAGE_ROWS } from './limits.js';
import type { Nodes } from './node-table.js';
import { afterReading, createPace } from './slices.js';
import type { UpkeepProgress } from './upkeep-types.js';

/** What a mark found; ids of nodes that came after it began are in none of its sets. */
export type Marked = {
  /** Every node there is. */
  present: IdSet;
  needed: IdSet;
  scannedThreads: number;
  /** The last event before it began: who changed a thread since then has written a later one. */
  lastSeq: number;
};

/** Text that may be the hash of a node, in the JSON of a question. */
const HASHES = /[0-9A-HJKMNP-TV-Z]{13}/g;

/**
 * What is reachable. It reads in many short looks, so it may miss what changes meanwhile: the sweep asks again, node by node,
 * before it deletes.
 */
export function createMarker(connection: Connection, nodes: Nodes) {
  const lastSeq = connection.value<number>('SELECT coalesce(max(seq), 0) FROM event');
  const maxId = connection.value<number>('SELECT coalesce(max(id), 0) FROM node');
  const threads = connection.query<{ id: string; start: number; head: number }>(
    'SELECT id, start, head FROM thread WHERE id>? ORDER BY id LIMIT ?',
  );
  const steps = connection.query<{ node: number }>(
    'SELECT DISTINCT node FROM step WHERE node>? ORDER BY node LIMIT ?',
  );
  const questions = connection.query<{ id: string; ask: string }>(
    "SELECT id, ask FROM question WHERE state='open' AND id>? ORDER BY id LIMIT ?",
  );
  // The index on the hash has the id too: the rows themselves, with all their bytes, are not read.
  const ids = connection.query<{ hash: Buffer; id: number }>(
    'SELECT hash, id FROM node WHERE hash>? ORDER BY hash LIMIT ?',
  );
  const refs = connection.query<{ src: number; dst: number }>(
    'SELECT src, dst FROM ref WHERE (src, dst)<(?, ?) ORDER BY src DESC, dst DESC LIMIT ?',
  );

  async function* pages<Row>(read: (last: Row | undefined) => Row[]): AsyncGenerator<Row[]> {
    for (let last: Row | undefined; ; ) {
      const rows = read(last);
      yield rows;
      if (rows.length < UPKEEP_PAGE_ROWS) return;
      last = rows.at(-1);
      await afterReading();
    }
  }

  async function addRoots(needed: IdSet, registryRoots: Iterable<Hash>): Promise<number> {
    let scanned = 0;
    const add = (hash: Hash): void => {
      const id = nodes.idOf(hash);
      if (id !== null) needed.add(id);
    };
    for (const hash of registryRoots) add(hash);
    for await (const rows of pages<{ id: string; start: number; head: number }>((last) =>
      threads.all(last?.id ?? '', UPKEEP_PAGE_ROWS),
    )) {
      scanned += 2 * rows.length;
      for (const { start, head } of rows) {
        needed.add(start);
        needed.add(head);
      }
    }
    for await (const rows of pages<{ node: number }>((last) =>
      steps.all(last?.node ?? 0, UPKEEP_PAGE_ROWS),
    ))
      for (const { node } of rows) needed.add(node);
    for await (const rows of pages<{ id: string; ask: string }>((last) =>
      questions.all(last?.id ?? '', UPKEEP_PAGE_ROWS),
    ))
      for (const { ask } of rows) for (const hash of ask.match(HASHES) ?? []) add(hash);
    return scanned;
  }

  /**
   * A node's id is larger than those of the nodes it refers to, for it cannot be stored before them. So one look at all
   * references, from the largest source down, marks everything. Should a repaired file have it otherwise, it looks again.
   */
  async function* follow(needed: IdSet): AsyncGenerator<UpkeepProgress> {
    const { max } = needed;
    const isTime = createPace();
    for (let isComplete = false; !isComplete; ) {
      isComplete = true;
      for await (const rows of pages<{ src: number; dst: number }>((last) =>
        refs.all(last?.src ?? max + 1, last?.dst ?? 0, UPKEEP_PAGE_ROWS),
      )) {
        for (const { src, dst } of rows) {
          if (needed.has(src) && needed.add(dst) && dst > src) isComplete = false;
        }
        if (isTime()) yield { phase: 'mark', done: max - (rows.at(-1)?.src ?? 0), total: max };
      }
    }
  }

  return async function* mark(
    registryRoots: Iterable<Hash>,
  ): AsyncGenerator<UpkeepProgress, Marked, undefined> {
    const seq = lastSeq() ?? 0;
    const max = maxId() ?? 0;
    const needed = createIdSet(max);
    const scannedThreads = await addRoots(needed, registryRoots);
    yield { phase: 'mark', done: 0, total: max };
    yield* follow(needed);
    const present = createIdSet(max);
    for await (const rows of pages<{ hash: Buffer; id: number }>((last) =>
      ids.all(last?.hash ?? Buffer.alloc(0), UPKEEP_PAGE_ROWS),
    ))
      for (const { id } of rows) present.add(id);
    return { present, needed, scannedThreads, lastSeq: seq };
  };
}
