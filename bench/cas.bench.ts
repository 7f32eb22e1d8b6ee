import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes, createNode } from '@uncaged/protocol/cas';
import { loadHasher } from '@uncaged/protocol/ids';
import Database from 'better-sqlite3';
import cacache from 'cacache';
import type { Bench, Measured } from './measure.js';
import { openBenchStore } from './noop-threads.js';

const NODES = 20_000;
const BATCH = 1_000;
const TEXT_BYTES = 950;
/** Of cacache: a file each, so fewer are enough. */
const FILES = 1_000;

const text = (n: number) => `${n} `.padEnd(TEXT_BYTES, 'z');
const fresh = (folder: string) => mkdtempSync(join(folder, 'cas-'));
const rate = (count: number, started: number): Measured => ({
  samples: [count / ((performance.now() - started) / 1_000)],
});

async function putOurs(folder: string): Promise<Measured> {
  const store = await openBenchStore(fresh(folder));
  const put = (offset: number) => {
    for (let from = 0; from < NODES; from += BATCH) {
      store.write('normal', () => {
        for (let n = from; n < from + BATCH; n++)
          store.nodes.put('content', { text: text(offset + n) });
      });
    }
  };
  put(NODES);
  const started = performance.now();
  put(0);
  const measured = rate(NODES, started);
  store.close();
  return measured;
}

async function getOurs(folder: string): Promise<Measured> {
  const store = await openBenchStore(fresh(folder));
  const hashes = store.write('normal', () =>
    Array.from({ length: NODES }, (_, n) => store.nodes.put('content', { text: text(n) })),
  );
  for (const hash of hashes) store.nodes.get(hash);
  const started = performance.now();
  for (const hash of hashes) if (store.nodes.get(hash) === null) throw new Error('lost');
  const measured = rate(NODES, started);
  store.close();
  return measured;
}

/** The same bytes under the same keys, by the binding alone. */
async function raw(
  folder: string,
): Promise<{ rows: [Buffer, Buffer][]; database: Database.Database }> {
  const hash = await loadHasher();
  const rows = Array.from({ length: 2 * NODES }, (_, n): [Buffer, Buffer] => {
    const bytes = Buffer.from(canonicalBytes(createNode('content', { text: text(n) })));
    return [Buffer.from(hash(bytes)), bytes];
  });
  const database = new Database(join(fresh(folder), 'raw.db'));
  database.pragma('journal_mode=WAL');
  database.pragma('synchronous=NORMAL');
  database.exec(
    'CREATE TABLE node(id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL)',
  );
  return { rows, database };
}

async function putRaw(folder: string): Promise<Measured> {
  const { rows, database } = await raw(folder);
  const insert = database.prepare('INSERT INTO node(hash, bytes) VALUES(?, ?)');
  const batch = database.transaction((part: [Buffer, Buffer][]) => {
    for (const [key, bytes] of part) insert.run(key, bytes);
  });
  const put = (first: number) => {
    for (let from = first; from < first + NODES; from += BATCH)
      batch(rows.slice(from, from + BATCH));
  };
  put(NODES);
  const started = performance.now();
  put(0);
  const measured = rate(NODES, started);
  database.close();
  return measured;
}

async function getRaw(folder: string): Promise<Measured> {
  const { rows, database } = await raw(folder);
  const insert = database.prepare('INSERT INTO node(hash, bytes) VALUES(?, ?)');
  const part = rows.slice(0, NODES);
  database.transaction(() => {
    for (const [key, bytes] of part) insert.run(key, bytes);
  })();
  const select = database.prepare('SELECT bytes FROM node WHERE hash=?').pluck();
  for (const [key] of part) select.get(key);
  const started = performance.now();
  for (const [key] of part) if (select.get(key) === undefined) throw new Error('lost');
  const measured = rate(NODES, started);
  database.close();
  return measured;
}

async function putCacache(folder: string): Promise<Measured> {
  const cache = fresh(folder);
  const started = performance.now();
  for (let n = 0; n < FILES; n++) await cacache.put(cache, String(n), text(n));
  return rate(FILES, started);
}

async function getCacache(folder: string): Promise<Measured> {
  const cache = fresh(folder);
  for (let n = 0; n < FILES; n++) await cacache.put(cache, String(n), text(n));
  const started = performance.now();
  for (let n = 0; n < FILES; n++) await cacache.get(cache, String(n));
  return rate(FILES, started);
}

export const benches: Bench[] = [
  {
    id: 'P7-put',
    what: 'CAS put of 1 kB nodes, 1,000 a transaction',
    unit: 'ops/s',
    target: { atLeast: 0.25 },
    baseline: { what: 'the same bytes by SQLite alone', run: putRaw },
    subject: putOurs,
    beside: { cacache: putCacache },
    notMeasured: 'fsync (durability normal); cacache writes a file and an index entry each',
  },
  {
    id: 'P7-get',
    what: 'CAS get of 1 kB nodes',
    unit: 'ops/s',
    target: { atLeast: 0.45 },
    baseline: { what: 'the same bytes by SQLite alone', run: getRaw },
    subject: getOurs,
    beside: { cacache: getCacache },
    notMeasured: 'a store larger than the memory',
  },
];
