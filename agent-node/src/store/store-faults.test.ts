import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createContentWriter } from './content-writer.js';
import { openStore } from './open-store.js';
import { startStoreProcess } from './test-process.js';
import { claim, createThread, temporaryRoot } from './test-store.js';

const options = { clock: Date.now };

/** Commits steps of the thread it is given and prints each hash when it is told that it is durable. */
const COMMITTER = `
  const opened = await store.openStore(args.root, { clock: Date.now });
  const { id, fence } = args.thread;
  for (let seq = args.from; ; seq += 1) {
    const key = { thread: id, seq, attempt: 1, fence };
    await opened.enqueue('normal', () =>
      opened.steps.start({ ...key, role: 'worker', agent: 'run', startedAt: 1 }));
    const content = opened.nodes.prepareText('said ' + seq);
    const state = { role: 'worker', content: content.hash, meta: {}, compact: null, childThread: null, agent: 'run',
      session: null, usage: null, startedAt: 1, timestamp: 2 };
    print(await opened.enqueue('full', () => {
      content.put();
      return opened.steps.commit({ ...key, state, casRefs: [], usage: null, usd: 0 });
    }));
  }`;

const KILLS = 6;

it('everything reported before a kill -9 is there after it, and the thread goes on', async () => {
  const root = temporaryRoot();
  const store = await openStore(root, options);
  const id = createThread(store);
  const reported: string[] = [];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const thread = claim(store)!;
    const committer = await startStoreProcess(COMMITTER, { root, thread, from: thread.steps + 1 });
    await committer.printed(1 + Math.floor(Math.random() * 60));
    committer.child.kill('SIGKILL');
    await committer.ended;
    reported.push(...committer.lines);
    const committed = store.steps.list(id).filter((step) => step.hash !== null);
    // The last one may have been committed without having been reported.
    expect([reported.length, reported.length + 1]).toContain(committed.length);
    expect(committed.slice(0, reported.length).map((step) => step.hash)).toEqual(reported);
    for (const hash of reported) expect(store.nodes.has(hash)).toBe(true);
    expect(store.threads.get(id)!.head).toBe(committed.at(-1)!.hash);
    reported.splice(0, reported.length, ...committed.map((step) => step.hash!));
    expect(store.threads.interruptDead(() => true)).toEqual([id]);
    store.write('full', () => store.threads.requeue(id, { retry: false }));
    // A step that was in flight is done again under the next seq's first attempt in this test: drop its row.
    const db = new Database(join(root, 'store.db'));
    db.exec("DELETE FROM step WHERE status='interrupted'");
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
    db.close();
  }
  store.close();
});

/** Mounting needs root and the right to; elsewhere these tests are not registered. */
function mount(...args: string[]): void {
  execFileSync('mount', args, { stdio: 'pipe' });
  const target = args.at(-1)!;
  onTestFinished(() => void execFileSync('umount', ['-l', target], { stdio: 'pipe' }));
}

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'pipe' });
    return true;
  } catch (error) {
    // No right to mount, or no such program: not run.
    if (error instanceof Error) return false;
    throw error;
  }
}

if (canMount()) {
  describe('a full disk', () => {
    it('is told with its path, loses nothing that was reported, and is over when there is space', async () => {
      const disk = join(temporaryRoot(), 'disk');
      mkdirSync(disk);
      mount('-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk);
      const store = await openStore(join(disk, 'root'), options);
      const stored: string[] = [];
      let failure: unknown;
      for (let i = 0; i < 10_000 && failure === undefined; i += 1) {
        try {
          stored.push(store.write('full', () => store.nodes.putText(`${i} `.padEnd(20_000, 'x'))));
        } catch (error) {
          failure = error;
        }
      }
      expect(failure).toMatchObject({ code: 'disk-full', message: expect.stringContaining(disk) });
      expect(stored.length).toBeGreaterThan(10);
      await expect(
        store.enqueue('full', () => store.nodes.putText('y'.repeat(300_000))),
      ).rejects.toMatchObject({
        code: 'disk-full',
      });
      const writer = createContentWriter(store);
      expect(() => {
        for (let i = 0; i < 5; i += 1) writer.write(Buffer.alloc(1024 * 1024, `${i}`));
      }).toThrow(expect.objectContaining({ code: 'disk-full' }));
      for (const hash of stored) expect(store.nodes.readText(hash)).toHaveLength(20_000);
      execFileSync('mount', ['-o', 'remount,size=16m', disk]);
      const hash = store.write('full', () => store.nodes.putText('z'.repeat(300_000)));
      expect(store.nodes.has(hash)).toBe(true);
      store.close();
    });

    it('is told when there is not even room for a new store', async () => {
      const disk = join(temporaryRoot(), 'disk');
      mkdirSync(disk);
      mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk);
      await expect(openStore(join(disk, 'root'), options)).rejects.toMatchObject({
        code: 'disk-full',
      });
    });
  });

  it('a read-only file system is told at once, with and without a store on it', async () => {
    const parent = temporaryRoot();
    const [source, target] = [join(parent, 'source'), join(parent, 'target')];
    mkdirSync(source);
    mkdirSync(target);
    (await openStore(join(source, 'there'), options)).close();
    mount('--bind', source, target);
    execFileSync('mount', ['-o', 'remount,ro,bind', target]);
    for (const name of ['there', 'new']) {
      await expect(openStore(join(target, name), options)).rejects.toMatchObject({
        code: 'store-unavailable',
        message: expect.stringContaining(join(target, name)),
      });
    }
  });
}
