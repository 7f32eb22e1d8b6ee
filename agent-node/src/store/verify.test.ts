import { join } from 'node:path';
import type { Hash } from '@uncaged/protocol/ids';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Store } from './store.js';
import {
  commitStep,
  createThread,
  runningThread,
  startStep,
  temporaryStore,
} from './test-store.js';
import { collect, verify } from './test-upkeep.js';

/** Changes bytes in the file itself, as a failing disk would. */
function damage(store: Store, hash: Hash, change: (bytes: Buffer) => Buffer): void {
  const db = new Database(join(store.root, 'store.db'));
  const rows = db.prepare('SELECT id, bytes FROM node').all() as { id: number; bytes: Buffer }[];
  const bytes = Buffer.from(store.nodes.getBytes(hash)!);
  const row = rows.find((candidate) => candidate.bytes.equals(bytes))!;
  db.prepare('UPDATE node SET bytes=? WHERE id=?').run(change(bytes), row.id);
  db.close();
}

function rows<T>(store: Store, sql: string): T[] {
  const db = new Database(join(store.root, 'store.db'), { readonly: true });
  const found = db.prepare(sql).all() as T[];
  db.close();
  return found;
}

const put = (store: Store, text: string): Hash =>
  store.write('full', () => store.nodes.putText(text));

const DAMAGES: [string, (bytes: Buffer) => Buffer][] = [
  ['cut to nothing', () => Buffer.alloc(0)],
  ['cut in half', (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))],
  [
    'with one bit changed',
    (bytes) => {
      const changed = Buffer.from(bytes);
      changed[changed.length - 20]! ^= 1;
      return changed;
    },
  ],
];

describe.each(DAMAGES)('an entry %s', (_name, change) => {
  it('is never read as if it were whole', async () => {
    const store = await temporaryStore();
    const hash = put(store, 'what was really said');
    const other = put(store, 'something else');
    damage(store, hash, change);
    const told = expect.objectContaining({
      code: 'store-damaged',
      message: expect.stringMatching(new RegExp(`${hash}.*uwf cas verify`, 's')),
    });
    expect(() => store.nodes.get(hash)).toThrow(told);
    expect(() => store.nodes.getBytes(hash)).toThrow(told);
    expect(() => store.nodes.readText(hash)).toThrow(told);
    expect(() => [...store.nodes.contentChunks(hash)]).toThrow(told);
    expect(() => store.nodes.contentSize(hash)).toThrow(told);
    expect(store.nodes.readText(other)).toBe('something else');
  });

  it('is found, put aside as it is, and named with its threads', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    startStep(store, thread, 1);
    const state = store.nodes.get(commitStep(store, thread, 1));
    const hash = (state as { payload: { content: Hash } }).payload.content;
    createThread(store, { id: '0THER000000000000000000000' });
    damage(store, hash, change);
    const result = await verify(store);
    expect(result).toMatchObject({ quarantined: 1, damagedCount: 1 });
    expect(result.damaged).toEqual([
      { hash, type: 'content', reason: expect.any(String), threads: [thread.id], isCut: false },
    ]);
    const [aside] = rows<{ bytes: Buffer; type: string }>(store, 'SELECT * FROM quarantine');
    const [entry] = rows<{ bytes: Buffer }>(store, 'SELECT bytes FROM node WHERE damaged=1');
    expect(aside).toMatchObject({ type: 'content', bytes: entry!.bytes });
    // Again it is found, and not put aside again.
    expect(await verify(store)).toMatchObject({ quarantined: 0, damagedCount: 1 });
  });

  it('is mended when the same is stored again', async () => {
    const store = await temporaryStore();
    const inner = put(store, 'inner');
    const hash = store.write('full', () => store.nodes.put('parts', { size: 5, parts: [inner] }));
    damage(store, hash, change);
    await verify(store);
    expect(store.write('full', () => store.nodes.put('parts', { size: 5, parts: [inner] }))).toBe(
      hash,
    );
    expect(store.nodes.readText(hash)).toBe('inner');
    expect(await verify(store)).toMatchObject({ damagedCount: 0 });
    expect(rows(store, 'SELECT * FROM quarantine')).toEqual([]);
    expect(store.nodes.referrers(inner, { limit: 10 })).toHaveLength(1);
  });
});

describe('verifying', () => {
  it('an undamaged store finds nothing', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    startStep(store, thread, 1);
    commitStep(store, thread, 1);
    expect(await verify(store)).toEqual({
      checked: rows(store, 'SELECT 1 FROM node').length,
      quarantined: 0,
      damaged: [],
      damagedCount: 0,
    });
  });

  it('names a missing entry with the threads that need it', async () => {
    const store = await temporaryStore();
    const id = createThread(store);
    const prompt = put(store, 'do it');
    const db = new Database(join(store.root, 'store.db'));
    db.prepare("DELETE FROM node WHERE type='content'").run();
    db.close();
    expect(await verify(store)).toMatchObject({
      damaged: [{ hash: prompt, type: null, threads: [id], isCut: false }],
      damagedCount: 1,
      quarantined: 0,
    });
  });

  it('names 50 of the threads that need it and says that there are more', async () => {
    const store = await temporaryStore();
    const ids = Array.from({ length: 60 }, (_, i) => `0${String(i).padStart(25, '0')}`);
    for (const id of ids) createThread(store, { id });
    damage(store, put(store, 'do it'), () => Buffer.alloc(0));
    const { damaged } = await verify(store);
    expect(damaged).toHaveLength(1);
    expect(damaged[0]).toMatchObject({ isCut: true });
    expect(damaged[0]!.threads).toHaveLength(50);
    for (const id of damaged[0]!.threads) expect(ids).toContain(id);
  });

  it('unmarks what is as it should be again', async () => {
    const store = await temporaryStore();
    const hash = put(store, 'text');
    const good = Buffer.from(store.nodes.getBytes(hash)!);
    damage(store, hash, () => Buffer.from('rubbish'));
    await verify(store);
    const db = new Database(join(store.root, 'store.db'));
    db.prepare('UPDATE node SET bytes=?').run(good);
    db.close();
    expect(await verify(store)).toMatchObject({ damagedCount: 0 });
    expect(rows(store, 'SELECT * FROM quarantine')).toEqual([]);
    expect(rows(store, 'SELECT 1 FROM node WHERE damaged=1')).toEqual([]);
  });

  it('what was put aside goes with its entry', async () => {
    const store = await temporaryStore();
    damage(store, put(store, 'text'), () => Buffer.from('rubbish'));
    await verify(store);
    await collect(store);
    expect(rows(store, 'SELECT hash FROM quarantine UNION ALL SELECT hash FROM node')).toEqual([]);
  });
});
