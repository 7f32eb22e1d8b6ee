import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { processIdentity } from '../process/index.js';
import { MIGRATIONS } from './migrations.js';
import { openStore } from './open-store.js';
import { startStoreProcess } from './test-process.js';
import { createThread, temporaryRoot } from './test-store.js';

const options = { clock: Date.now };

describe('opening a store', () => {
  it('makes directory and file for this user alone, with WAL and incremental vacuum', async () => {
    const root = join(temporaryRoot(), 'a', 'b');
    const store = await openStore(root, options);
    expect(statSync(root).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, 'store.db')).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, 'store.db-wal')).mode & 0o777).toBe(0o600);
    const db = new Database(join(root, 'store.db'));
    expect(db.pragma('auto_vacuum', { simple: true })).toBe(2);
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    db.close();
    store.close();
  });

  it('finds what was stored, under the same identity', async () => {
    const root = temporaryRoot();
    const first = await openStore(root, options);
    const thread = createThread(first);
    first.close();
    const second = await openStore(root, options);
    expect(second.id).toBe(first.id);
    expect(second.id).not.toBe('');
    expect(second.threads.get(thread)).not.toBeNull();
    second.close();
  });

  it('for reading needs a store, and changes nothing', async () => {
    const root = temporaryRoot();
    const readonly = { ...options, readonly: true };
    await expect(openStore(root, readonly)).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(existsSync(join(root, 'store.db'))).toBe(false);
    const store = await openStore(root, options);
    const reader = await openStore(root, readonly);
    expect(reader.id).toBe(store.id);
    expect(() => reader.write('full', () => reader.settings.set('a', '1'))).toThrow(
      expect.objectContaining({ code: 'store-unavailable' }),
    );
    reader.close();
    store.close();
  });

  it('works when several processes find it new at once', async () => {
    const root = join(temporaryRoot(), 'new');
    const script = `
      process.stdin.once('data', async () => {
        const opened = await store.openStore(args.root, { clock: Date.now });
        opened.write('full', () => opened.settings.set('p' + process.pid, '1'));
        print(opened.id);
        opened.close();
        process.exit(0);
      });
      print('ready');`;
    const processes = await Promise.all(
      Array.from({ length: 4 }, () => startStoreProcess(script, { root })),
    );
    await Promise.all(processes.map((process) => process.printed(1)));
    for (const process of processes) process.child.stdin!.write('go\n');
    for (const process of processes) expect(await process.ended).toEqual({ code: 0, stderr: '' });
    const ids = new Set(processes.map((process) => process.lines[1]));
    expect(ids.size).toBe(1);
    const store = await openStore(root, options);
    for (const { child } of processes) expect(store.settings.get(`p${child.pid}`)).toBe('1');
    store.close();
  });
});

describe('a store that cannot be opened', () => {
  it('is a file where the directory belongs', async () => {
    const root = join(temporaryRoot(), 'file');
    writeFileSync(root, 'mine');
    for (const path of [root, join(root, 'below')]) {
      await expect(openStore(path, options)).rejects.toMatchObject({
        code: 'store-unavailable',
        message: expect.stringContaining(path),
      });
    }
    expect(readFileSync(root, 'utf8')).toBe('mine');
  });

  it('is in a place where nobody may create directories', async () => {
    await expect(openStore('/proc/uwf-store', options)).rejects.toMatchObject({
      code: 'store-unavailable',
    });
  });

  it('is no database; it is left as it was', async () => {
    const root = temporaryRoot();
    const path = join(root, 'store.db');
    const garbage = Buffer.from('this is my shopping list. '.repeat(1_000));
    writeFileSync(path, garbage);
    await expect(openStore(root, options)).rejects.toMatchObject({
      code: 'store-damaged',
      message: expect.stringContaining(path),
    });
    expect(readFileSync(path).equals(garbage)).toBe(true);
  });

  it('has lost its first bytes; it is left as it was, and what to do is said', async () => {
    const root = temporaryRoot();
    const store = await openStore(root, options);
    createThread(store);
    store.close();
    const path = join(root, 'store.db');
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(100, 0x5a), 0, 100, 0);
    closeSync(file);
    const before = readFileSync(path);
    await expect(openStore(root, options)).rejects.toMatchObject({
      code: 'store-damaged',
      message: expect.stringMatching(/Nothing was changed\. Move it .* backup/s),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('was written by a newer version; it is left as it was', async () => {
    const root = temporaryRoot();
    (await openStore(root, options)).close();
    const path = join(root, 'store.db');
    const db = new Database(path);
    db.pragma('user_version=999');
    db.close();
    const before = readFileSync(path);
    await expect(openStore(root, options)).rejects.toMatchObject({ code: 'store-newer' });
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe('a store of an older version', () => {
  /** As a worker of that version leaves it. */
  async function olderStore(worker: {
    pid: number;
    processStart: string;
    bootId: string;
  }): Promise<string> {
    const root = temporaryRoot();
    (await openStore(root, options)).close();
    const path = join(root, 'store.db');
    rmSync(path);
    const db = new Database(path);
    db.pragma('auto_vacuum=INCREMENTAL');
    db.pragma('journal_mode=WAL');
    db.exec(MIGRATIONS[0]!);
    db.pragma('user_version=1');
    db.prepare("INSERT INTO worker VALUES('definitions', 'w', ?, ?, ?, '0.0.9', 0, 0)").run(
      worker.pid,
      worker.processStart,
      worker.bootId,
    );
    db.close();
    return root;
  }

  it('is not changed under a worker that lives, and the worker is named', async () => {
    const root = await olderStore(processIdentity(process.pid)!);
    await expect(openStore(root, options)).rejects.toMatchObject({
      code: 'store-busy',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    const db = new Database(join(root, 'store.db'));
    expect(db.pragma('user_version', { simple: true })).toBe(1);
    db.prepare('DELETE FROM worker').run();
    db.close();
    (await openStore(root, options)).close();
  });

  it('is brought up to date when that worker is gone', async () => {
    const identity = processIdentity(process.pid)!;
    const store = await openStore(await olderStore({ ...identity, processStart: '1' }), options);
    store.write('full', () => store.nodes.putText('x'));
    store.close();
  });
});

it('a damaged page is told when it is read, and nothing else is lost', async () => {
  const root = temporaryRoot();
  const path = join(root, 'store.db');
  const store = await openStore(root, options);
  const hashes = store.write('full', () =>
    Array.from({ length: 500 }, (_, i) => store.nodes.putText(`${i} `.padEnd(1_000, 'x'))),
  );
  store.close();
  const size = statSync(path).size;
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(8_192, 0x5a), 0, 8_192, Math.floor(size / 2 / 4_096) * 4_096);
  closeSync(file);
  const again = await openStore(root, options);
  const outcomes = hashes.map((hash) => {
    try {
      return again.nodes.get(hash) === null ? 'missing' : 'there';
    } catch (error) {
      return (error as { code?: string }).code;
    }
  });
  expect(outcomes).toContain('store-damaged');
  expect(outcomes.filter((outcome) => outcome === 'there').length).toBeGreaterThan(400);
  again.close();
});
