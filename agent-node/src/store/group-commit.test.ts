import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { temporaryStore } from './test-store.js';

describe('group commit', () => {
  it('commits what the others wrote when one throws', async () => {
    const store = await temporaryStore();
    const results = await Promise.allSettled([
      store.enqueue('full', () => store.settings.set('a', '1')),
      store.enqueue('normal', () => {
        store.settings.set('b', '1');
        throw new Error('not me');
      }),
      store.enqueue('full', () => {
        store.settings.set('c', '1');
        return store.settings.get('a');
      }),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { message: 'not me' } });
    expect(results[2]).toMatchObject({ value: '1' });
    expect(['a', 'b', 'c'].map(store.settings.get)).toEqual(['1', null, '1']);
  });

  it('rolls back a work that throws alone', async () => {
    const store = await temporaryStore();
    const alone = store.enqueue('full', () => {
      store.settings.set('a', '1');
      throw new Error('no');
    });
    await expect(alone).rejects.toThrow('no');
    expect(store.settings.get('a')).toBeNull();
  });

  it('shares one transaction among the works of one turn', async () => {
    const store = await temporaryStore();
    const other = new Database(join(store.root, 'store.db'), { readonly: true });
    const version = (): unknown => other.pragma('data_version', { simple: true });
    const before = version() as number;
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        store.enqueue('full', () => store.settings.set(`k${i}`, '')),
      ),
    );
    expect((version() as number) - before).toBe(1);
    other.close();
  });

  it('waits without blocking while another process writes', async () => {
    const store = await temporaryStore({ busyTimeoutMs: 0 });
    const other = new Database(join(store.root, 'store.db'));
    other.exec('BEGIN IMMEDIATE');
    const done = store.enqueue('full', () => store.settings.set('a', '1'));
    let turns = 0;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        turns += 1;
        if (turns < 5) return;
        clearInterval(timer);
        resolve();
      }, 10);
    });
    expect(store.settings.get('a')).toBeNull();
    other.exec('COMMIT');
    await done;
    expect(store.settings.get('a')).toBe('1');
    other.close();
  });

  it('commits what is queued when the store closes', async () => {
    const store = await temporaryStore();
    const done = store.enqueue('full', () => store.settings.set('a', '1'));
    store.close();
    await done;
    const other = new Database(join(store.root, 'store.db'), { readonly: true });
    expect(other.prepare("SELECT value FROM setting WHERE key='a'").pluck().get()).toBe('1');
    other.close();
  });

  it('refuses work for a store that is closed', async () => {
    const store = await temporaryStore();
    store.close();
    await expect(store.enqueue('full', () => 1)).rejects.toThrow();
  });
});
