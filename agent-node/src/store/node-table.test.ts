import { join } from 'node:path';
import { canonicalBytes, createNode } from '@uncaged/protocol/cas';
import { encodeHash, type Hash, loadHasher } from '@uncaged/protocol/ids';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createConnection } from './connection.js';
import { createNodeTable } from './node-table.js';
import { openStore } from './open-store.js';
import {
  commitInput,
  commitStep,
  putStart,
  runningThread,
  startStep,
  temporaryRoot,
  temporaryStore,
} from './test-store.js';

const UNKNOWN: Hash = '0000000000000';

describe('nodes', () => {
  it('gives back what was put, under the hash of its canonical bytes', async () => {
    const store = await temporaryStore();
    const hash = store.write('normal', () => store.nodes.put('content', { text: 'hello' }));
    const bytes = canonicalBytes(createNode('content', { text: 'hello' }));
    expect(hash).toBe(encodeHash((await loadHasher())(bytes)));
    expect(store.nodes.get(hash)).toEqual({
      type: 'content',
      payload: { text: 'hello' },
      refs: [],
    });
    expect(Buffer.from(store.nodes.getBytes(hash)!).equals(bytes)).toBe(true);
    expect(store.nodes.has(hash)).toBe(true);
  });

  it('does not find hashes that are unknown or no hashes', async () => {
    const store = await temporaryStore();
    for (const hash of [UNKNOWN, '', '../x', 'ZZZZZZZZZZZZZ', 'x'.repeat(10_000)]) {
      expect(store.nodes.get(hash)).toBeNull();
      expect(store.nodes.has(hash)).toBe(false);
    }
  });

  it('bumps touched when the node exists already', async () => {
    let now = 5;
    const root = temporaryRoot();
    const store = await openStore(root, { clock: () => now });
    const put = (): Hash => store.write('normal', () => store.nodes.put('content', { text: 'x' }));
    put();
    now = 9;
    put();
    const db = new Database(join(root, 'store.db'), { readonly: true });
    expect(db.prepare('SELECT touched FROM node').pluck().all()).toEqual([9]);
    db.close();
    store.close();
  });

  it('refuses a ref to a node that is not there and leaves nothing, also when the caller goes on', async () => {
    const store = await temporaryStore();
    store.write('normal', () => {
      expect(() => store.nodes.put('parts', { size: 1, parts: [UNKNOWN] })).toThrow(
        expect.objectContaining({ code: 'invalid-node' }),
      );
    });
    expect(store.nodes.list({ limit: 10 })).toEqual([]);
  });

  it('refuses other content under a hash that exists', async () => {
    const store = await temporaryStore();
    const db = new Database(join(store.root, 'store.db'));
    const connection = createConnection(db, 'test');
    const hasher = Object.assign(() => new Uint8Array(8), { matches: () => true });
    const nodes = createNodeTable({ connection, hasher, clock: () => 1 });
    connection.begin('normal');
    nodes.put('content', { text: 'one' });
    expect(() => nodes.put('content', { text: 'two' })).toThrow(
      expect.objectContaining({ code: 'hash-collision' }),
    );
    nodes.put('content', { text: 'one' });
    connection.commit();
    db.close();
  });

  it('refuses to change anything outside of a transaction', async () => {
    const store = await temporaryStore();
    expect(() => store.nodes.putText('x')).toThrow(/inside store.write/);
    expect(() => store.read(() => store.nodes.putText('x'))).toThrow(/inside store.write/);
  });

  it('lists by hash in pages and by type', async () => {
    const store = await temporaryStore();
    store.write('normal', () => {
      for (let i = 0; i < 25; i += 1) store.nodes.putText(`text ${i}`);
      putStart(store);
    });
    const all = store.nodes.list({ limit: 100 });
    expect(all).toHaveLength(27);
    const pages = [];
    for (let after: Hash | undefined; ; ) {
      const page = store.nodes.list({ limit: 10, ...(after === undefined ? {} : { after }) });
      if (page.length === 0) break;
      pages.push(...page);
      after = page.at(-1)!.hash;
    }
    expect(pages).toEqual(all);
    expect(store.nodes.list({ type: 'start', limit: 10 }).map((row) => row.type)).toEqual([
      'start',
    ]);
  });
});

describe('removing nodes', () => {
  it('is refused while a node, a thread or the registry needs it', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    startStep(store, thread, 1);
    const state = commitStep(store, thread, 1);
    const remove = (hash: Hash, roots: Hash[] = []): void =>
      store.write('normal', () => store.nodes.remove(hash, roots));
    const inUse = expect.objectContaining({ code: 'in-use' });
    const [lone, prompt] = store.write('normal', () => [
      store.nodes.putText('lone'),
      store.nodes.putText('do it'),
    ]);
    expect(() => remove(prompt)).toThrow(inUse);
    expect(() => remove(state)).toThrow(inUse);
    expect(() => remove(thread.start)).toThrow(inUse);
    expect(() => remove(lone, [lone])).toThrow(inUse);
    remove(lone);
    expect(store.nodes.has(lone)).toBe(false);
    expect(() => remove(lone)).toThrow(expect.objectContaining({ code: 'node-not-found' }));
  });

  it('frees what only the removed node needed', async () => {
    const store = await temporaryStore();
    const [start, prompt] = store.write('normal', () => [
      putStart(store, 'p'),
      store.nodes.putText('p'),
    ]);
    store.write('normal', () => {
      store.nodes.remove(start, []);
      store.nodes.remove(prompt, []);
    });
    expect(store.nodes.list({ limit: 10 })).toEqual([]);
  });
});

describe('chains', () => {
  it('name the nearest eleven earlier states, newest first, and the start', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), async (count) => {
        for (let i = 0; i < count; i += 1) {
          const seq = store.threads.get(thread.id)!.steps + 1;
          startStep(store, thread, seq);
          commitStep(store, thread, seq);
        }
        const states = store.steps.list(thread.id).map((step) => step.hash!);
        for (const [at, hash] of states.entries()) {
          const node = store.nodes.get(hash)!;
          if (node.type !== 'state') throw new Error('not a state');
          expect(node.payload.ancestors).toEqual(states.slice(Math.max(0, at - 11), at).reverse());
          expect(node.payload.start).toBe(thread.start);
        }
        expect(store.threads.get(thread.id)!.head).toBe(states.at(-1));
      }),
      { numRuns: 10 },
    );
  });

  it('keep only the parent in the refs table', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    for (const seq of [1, 2, 3, 4]) {
      startStep(store, thread, seq);
      commitStep(store, thread, seq);
    }
    const db = new Database(join(store.root, 'store.db'), { readonly: true });
    const refs = db
      .prepare(
        `SELECT dst.hash, dst.type FROM ref JOIN node src ON src.id=ref.src JOIN node dst ON dst.id=ref.dst
         JOIN thread ON thread.head=src.id`,
      )
      .all() as { hash: Buffer; type: string }[];
    db.close();
    const parent = store.steps.list(thread.id)[2]!.hash;
    expect(refs.map((ref) => ref.type).sort()).toEqual(['content', 'state']);
    expect(refs.filter((ref) => ref.type === 'state').map((ref) => encodeHash(ref.hash))).toEqual([
      parent,
    ]);
  });

  it('are refused when they are not the chain of the parent', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    for (const seq of [1, 2, 3]) {
      startStep(store, thread, seq);
      commitStep(store, thread, seq);
    }
    const [first, , third] = store.steps.list(thread.id).map((step) => step.hash!);
    const put = (ancestors: Hash[]): Hash =>
      store.write('normal', () => {
        const { state } = commitInput(store, thread, 4);
        return store.nodes.put('state', { ...state, attempt: 1, start: thread.start, ancestors });
      });
    expect(() => put([third!, first!])).toThrow(expect.objectContaining({ code: 'invalid-node' }));
    expect(() => put([UNKNOWN])).toThrow(expect.objectContaining({ code: 'invalid-node' }));
  });
});
