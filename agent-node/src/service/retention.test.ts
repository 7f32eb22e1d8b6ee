import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { addThread, claim, commitStep, endThread, startStep } from '../api/test-api.js';
import type { NodeConfig } from '../registry/index.js';
import { openStore, type Store } from '../store/index.js';
import { keepRetention } from './retention.js';
import { makeRoot, openTestService, until } from './test-service.js';

const DAY = 24 * 60 * 60 * 1000;
const NONE = { age: null, count: null, size: null };
const limits = { retentionEveryMs: 1_000, retentionGraceMs: 0, retentionBusyMs: 1_000 };

/** A finished thread of one step with so much text. */
function finished(store: Store, text = 'done'): string {
  const id = addThread(store);
  const row = claim(store);
  startStep(store, row, 1);
  commitStep(store, row, 1, text);
  endThread(store, row);
  return id;
}

const there = (store: Store, ids: readonly string[]) =>
  ids.map((id) => store.threads.get(id) !== null);

const keep = (store: Store, retention: Partial<NodeConfig['retention']>, now = Date.now()) =>
  keepRetention(
    { store, clock: () => now, limits, log: () => undefined },
    { ...NONE, ...retention },
    () => false,
  );

describe('config.retention', () => {
  it('keeps the newest so many, and collects what the others held', async () => {
    const { store } = await makeRoot();
    const ids = [1, 2, 3, 4, 5].map((n) => finished(store, `text ${n}`));
    const [state] = store.steps.list(ids[0]!);
    expect(await keep(store, { count: 2 })).toBe(true);
    expect(there(store, ids)).toEqual([false, false, false, true, true]);
    expect(store.nodes.has(state!.hash!)).toBe(false);
  });

  it('removes what ended longer ago than the age', async () => {
    const { store } = await makeRoot();
    const ids = [finished(store), finished(store)];
    await keep(store, { age: DAY });
    expect(there(store, ids)).toEqual([true, true]);
    await keep(store, { age: DAY }, Date.now() + 2 * DAY);
    expect(there(store, ids)).toEqual([false, false]);
  });

  it('removes the oldest until the file is as small as it is to be', async () => {
    const { store } = await makeRoot();
    const ids = [1, 2, 3, 4, 5, 6].map((n) => finished(store, `${n}`.repeat(500_000)));
    const size = 2_000_000;
    await keep(store, { size });
    expect(there(store, ids)).toEqual([false, false, false, true, true, true]);
    expect(store.upkeep.usedBytes()).toBeLessThan(size);
  });

  it('never touches a thread that is not finished, or one in which such a thread is nested', async () => {
    const { store } = await makeRoot();
    const parent = finished(store);
    const child = addThread(store);
    const running = claim(store);
    expect(running.id).toBe(child);
    const db = new Database(join(store.root, 'store.db'));
    db.prepare('UPDATE thread SET parent=?, parentSeq=1 WHERE id=?').run(parent, child);
    db.close();
    const alone = finished(store);
    const queued = addThread(store);
    const ids = [parent, child, queued, alone];
    await keep(store, { count: 0 });
    expect(there(store, ids)).toEqual([true, true, true, false]);
    expect(() => store.write('full', () => store.threads.remove(parent))).toThrow(
      expect.objectContaining({ code: 'thread-state', message: expect.stringContaining(child) }),
    );
    endThread(store, running);
    await keep(store, { count: 0 }, Date.now() + DAY);
    // The nested one went with its parent.
    expect(there(store, ids)).toEqual([false, false, true, false]);
  });

  it('leaves forks whole', async () => {
    const { store } = await makeRoot();
    const source = finished(store, 'kept by the fork');
    const row = store.threads.get(source)!;
    const fork = '0FRK0000000000000000000000';
    store.write('full', () =>
      store.threads.fork({ ...row, id: fork, forkedFrom: source, forkedSeq: 1 }, null),
    );
    await keep(store, { count: 0 });
    expect(there(store, [source, fork])).toEqual([false, true]);
    const [step] = store.steps.list(fork);
    const state = store.nodes.get(step!.hash!);
    if (state?.type !== 'state') throw new Error('no state');
    expect(store.nodes.readText(state.payload.content!)).toBe('kept by the fork');
  });

  it('is looked at once in its time, by one of all processes', async () => {
    const { store, root } = await makeRoot();
    const now = Date.now();
    finished(store);
    expect(await keep(store, NONE, now)).toBe(false);
    expect(await keep(store, { count: 9 }, now)).toBe(true);
    const other = await openStore(root, { clock: Date.now });
    expect(await keep(other, { count: 9 }, now + 999)).toBe(false);
    expect(await keep(other, { count: 9 }, now + 1_000)).toBe(true);
    other.close();
    // The clock was set back.
    expect(await keep(store, { count: 9 }, now - DAY)).toBe(true);
  });

  it('is kept by a node that is served, without being asked', async () => {
    const { store, root } = await makeRoot();
    writeFileSync(join(root, 'workflow.yaml'), 'config:\n  retention: {count: 1}\n');
    const ids = [finished(store), finished(store)];
    const made = join(root, 'work', ids[0]!);
    mkdirSync(made, { recursive: true });
    const { log } = await openTestService(root, { limits: { retentionGraceMs: 0 } });
    await until('the older one is gone', () => store.threads.get(ids[0]!) === null);
    await until('it is said', () => log.some((line) => line.includes('config.retention')));
    expect(there(store, ids)).toEqual([false, true]);
    // What agents have written may be all that is left of their work.
    expect(existsSync(made)).toBe(true);
  });
});
