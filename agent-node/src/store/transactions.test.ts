import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createConnection } from './connection.js';
import { openStore } from './open-store.js';
import { temporaryRoot, temporaryStore } from './test-store.js';

describe('write', () => {
  it('is synchronous=FULL when full and NORMAL when normal, whatever came before', async () => {
    const store = await temporaryStore();
    const db = new Database(join(store.root, 'store.db'));
    const connection = createConnection(db, 'test');
    for (const [durability, level] of [
      ['full', 2],
      ['normal', 1],
      ['full', 2],
      ['full', 2],
      ['normal', 1],
    ] as const) {
      connection.begin(durability);
      expect(db.pragma('synchronous', { simple: true })).toBe(level);
      connection.commit();
    }
    db.close();
  });

  it('leaves nothing of a work that throws', async () => {
    const store = await temporaryStore();
    expect(() =>
      store.write('full', () => {
        store.settings.set('a', '1');
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(store.settings.get('a')).toBeNull();
    store.write('normal', () => store.settings.set('a', '2'));
    expect(store.settings.get('a')).toBe('2');
  });

  it('refuses to nest and refuses promises', async () => {
    const store = await temporaryStore();
    expect(() => store.write('full', () => store.write('full', () => 1))).toThrow(
      /inside a transaction/,
    );
    expect(() => store.write('full', async () => store.settings.set('a', '1'))).toThrow(
      /synchronous/,
    );
    expect(store.settings.get('a')).toBeNull();
  });

  it('names the process that holds the store when it is busy', async () => {
    const store = await temporaryStore({ busyTimeoutMs: 0 });
    const other = new Database(join(store.root, 'store.db'));
    other.exec('BEGIN IMMEDIATE');
    try {
      expect(() => store.write('full', () => 1)).toThrow(
        expect.objectContaining({
          code: 'store-busy',
          retryable: true,
          ...(process.platform === 'linux'
            ? { message: expect.stringContaining(`Process ${process.pid} `) }
            : {}),
        }),
      );
    } finally {
      other.close();
    }
    expect(store.write('full', () => 1)).toBe(1);
  });
});

describe('read', () => {
  it('is one snapshot', async () => {
    const root = temporaryRoot();
    const [one, two] = [
      await openStore(root, { clock: Date.now }),
      await openStore(root, { clock: Date.now }),
    ];
    one.write('normal', () => one.settings.set('a', '1'));
    two.read(() => {
      expect(two.settings.get('a')).toBe('1');
      one.write('normal', () => one.settings.set('a', '2'));
      expect(two.settings.get('a')).toBe('1');
      expect(two.read(() => two.settings.get('a'))).toBe('1');
    });
    expect(two.settings.get('a')).toBe('2');
    one.close();
    two.close();
  });
});

describe('dataVersion', () => {
  it('moves with commits of others only', async () => {
    const root = temporaryRoot();
    const [one, two] = [
      await openStore(root, { clock: Date.now }),
      await openStore(root, { clock: Date.now }),
    ];
    const before = one.dataVersion();
    one.write('normal', () => one.settings.set('a', '1'));
    await one.enqueue('full', () => one.settings.set('a', '2'));
    expect(one.dataVersion()).toBe(before);
    two.write('normal', () => two.settings.set('a', '3'));
    expect(one.dataVersion()).not.toBe(before);
    one.close();
    two.close();
  });
});

describe('checkpoint', () => {
  it('moves the WAL and says what a reader keeps it from moving', async () => {
    const root = temporaryRoot();
    const [one, two] = [
      await openStore(root, { clock: Date.now }),
      await openStore(root, { clock: Date.now }),
    ];
    one.write('full', () => one.settings.set('a', '1'));
    expect(one.checkpoint()).toBe(0);
    two.read(() => {
      two.settings.get('a');
      one.write('full', () => one.settings.set('a', '2'));
      expect(one.checkpoint()).toBeGreaterThan(0);
    });
    expect(one.checkpoint()).toBe(0);
    one.close();
    two.close();
  });
});
