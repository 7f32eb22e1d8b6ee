import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Hash, ThreadId } from '@uncaged/protocol/ids';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openStore } from './open-store.js';
import type { Store } from './store.js';
import {
  claim,
  commitInput,
  commitStep,
  createThread,
  END_130,
  putStart,
  runningThread,
  startStep,
  temporaryRoot,
  temporaryStore,
} from './test-store.js';
import { collect, drain, everyHash, verify } from './test-upkeep.js';

const HOUR = 60 * 60 * 1000;

const put = (store: Store, text: string): Hash =>
  store.write('full', () => store.nodes.putText(text));

/** A finished thread of so many steps. */
function finishedThread(store: Store, steps: number, text: (seq: number) => string): ThreadId {
  const thread = runningThread(store);
  for (let seq = 1; seq <= steps; seq += 1) {
    startStep(store, thread, seq);
    store.write('full', () => {
      const input = commitInput(store, thread, seq);
      const content = store.nodes.putText(text(seq));
      store.steps.commit({ ...input, state: { ...input.state, content } });
    });
  }
  store.write('full', () =>
    store.threads.settle(thread.id, thread.fence, {
      status: 'ended',
      end: { ...END_130, returnCode: 0 },
    }),
  );
  return thread.id;
}

describe('what is collected', () => {
  it('of a thread that has just begun: nothing; only what nothing needs', async () => {
    const store = await temporaryStore();
    const id = createThread(store);
    const orphan = put(store, 'orphan');
    expect(await collect(store)).toMatchObject({
      scannedThreads: 2,
      activeRefs: 2,
      deletedEntries: 1,
      graceEntries: 0,
    });
    expect(store.nodes.has(orphan)).toBe(false);
    expect(everyHash(store)).toHaveLength(2);
    expect(store.threads.get(id)).not.toBeNull();
  });

  it('without threads: everything', async () => {
    const store = await temporaryStore();
    put(store, 'alone');
    expect(await collect(store)).toMatchObject({
      scannedThreads: 0,
      activeRefs: 0,
      deletedEntries: 1,
    });
    expect(await collect(store)).toMatchObject({ deletedEntries: 0 });
  });

  it('when a thread is removed, what it alone needed', async () => {
    const store = await temporaryStore();
    const kept = finishedThread(store, 3, (seq) => `kept ${seq}`);
    await collect(store);
    const before = everyHash(store);
    const removed = finishedThread(store, 3, (seq) => `removed ${seq}`);
    await collect(store);
    expect(await collect(store)).toMatchObject({ scannedThreads: 4, deletedEntries: 0 });
    store.write('full', () => store.threads.remove(removed));
    const result = await collect(store);
    expect(result.deletedEntries).toBeGreaterThan(3);
    expect(everyHash(store)).toEqual(before);
    expect(store.threads.get(kept)?.steps).toBe(3);
  });

  it('not what the registry or an open question names', async () => {
    const store = await temporaryStore();
    const [named, asked, answered] = ['named', 'asked', 'answered'].map((text) => put(store, text));
    const db = new Database(join(store.root, 'store.db'));
    const insert = db.prepare(
      'INSERT INTO question(id, thread, seq, ask, state, askedAt) VALUES(?,?,1,?,?,1)',
    );
    insert.run('q1', 't', JSON.stringify({ text: asked }), 'open');
    insert.run('q2', 't', JSON.stringify({ text: answered }), 'answered');
    db.close();
    await collect(store, { roots: [named!, '0000000000000'] });
    expect(everyHash(store)).toEqual([named, asked].sort());
  });

  it('not what is too young, nor what that refers to', async () => {
    let now = 10 * HOUR;
    const store = await temporaryStore({ clock: () => now });
    const old = put(store, 'old');
    const shared = put(store, 'shared');
    now += 2 * HOUR;
    const young = store.write('full', () => store.nodes.put('parts', { size: 6, parts: [shared] }));
    expect(await collect(store, { graceMs: HOUR, dryRun: true })).toMatchObject({
      dryRun: true,
      deletedEntries: 1,
      graceEntries: 2,
    });
    expect(store.nodes.has(old)).toBe(true);
    expect(await collect(store, { graceMs: HOUR })).toMatchObject({ deletedEntries: 1 });
    expect(everyHash(store)).toEqual([shared, young].sort());
    // Stored again it is as young as if it were new.
    now += 2 * HOUR;
    put(store, 'shared');
    await collect(store, { graceMs: HOUR });
    expect(everyHash(store)).toEqual([shared]);
  });

  it('not what a running step has stored ahead of its commit, however long ago that was', async () => {
    let now = 10 * HOUR;
    const store = await temporaryStore({ clock: () => now });
    const thread = runningThread(store);
    const older = put(store, 'older than the step');
    now += 1;
    store.write('normal', () =>
      store.steps.start({
        ...{ thread: thread.id, seq: 1, attempt: 1, fence: thread.fence, role: 'worker' },
        ...{ agent: 'run', startedAt: now },
      }),
    );
    const piece = put(store, 'a piece of a long output');
    now += 5 * HOUR;
    expect(await collect(store)).toMatchObject({ deletedEntries: 1, graceEntries: 1 });
    expect(store.nodes.has(older)).toBe(false);
    expect(store.nodes.has(piece)).toBe(true);
  });

  it('is told beforehand by a dry run, to the entry', async () => {
    const store = await temporaryStore();
    const removed = finishedThread(store, 5, (seq) => `removed ${seq}`);
    put(store, 'orphan');
    store.write('full', () => store.threads.remove(removed));
    const told = await collect(store, { dryRun: true });
    expect(told.deletedEntries).toBeGreaterThan(10);
    const done = await collect(store);
    expect(done).toEqual({ ...told, dryRun: false, freedBytes: done.freedBytes });
  });
});

describe('a fork', () => {
  it('keeps what it needs when its source is removed, and the file becomes as small as that', async () => {
    const store = await temporaryStore();
    const [steps, keep, stepBytes] = [60, 15, 100_000];
    const source = finishedThread(store, steps, (seq) => `${seq} `.padEnd(stepBytes, 'x'));
    const row = store.threads.get(source)!;
    const fork = '0FRK0000000000000000000000';
    store.write('full', () =>
      store.threads.fork(
        {
          ...row,
          id: fork,
          forkedFrom: source,
          forkedSeq: keep,
          parent: null,
          createdAt: Date.now(),
        },
        null,
      ),
    );
    store.checkpoint();
    const path = join(store.root, 'store.db');
    const full = statSync(path).size;
    expect(full).toBeGreaterThan(steps * stepBytes);
    store.write('full', () => store.threads.remove(source));
    const result = await collect(store);
    expect(result.deletedBytes).toBeGreaterThan((steps - keep) * stepBytes);
    expect(statSync(path).size).toBe(full - result.freedBytes);
    expect(statSync(path).size).toBeLessThan(keep * stepBytes * 1.3);
    expect(await verify(store)).toMatchObject({ damagedCount: 0, quarantined: 0 });
    const kept = store.steps.list(fork);
    expect(kept).toHaveLength(keep);
    for (const { hash, seq } of kept) {
      const node = store.nodes.get(hash!);
      const content = node?.type === 'state' ? node.payload.content : null;
      expect(store.nodes.readText(content!)).toBe(`${seq} `.padEnd(stepBytes, 'x'));
    }
  });
});

describe('while it runs', () => {
  it('another one is refused, and once it is stopped the next one may go', async () => {
    const store = await temporaryStore();
    for (let i = 0; i < 50; i += 1) put(store, `orphan ${i}`);
    const first = store.upkeep.collect({ registryRoots: async () => [], graceMs: 0 });
    await first.next();
    await expect(collect(store)).rejects.toMatchObject({ code: 'in-use' });
    await expect(verify(store)).rejects.toMatchObject({ code: 'in-use' });
    await first.return(undefined as never);
    expect(everyHash(store)).toHaveLength(50);
    expect(await collect(store)).toMatchObject({ deletedEntries: 50 });
  });

  it('a file is not written anew beside threads that run', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    await expect(collect(store, { compact: true })).rejects.toMatchObject({ code: 'in-use' });
    store.write('full', () =>
      store.threads.settle(thread.id, thread.fence, { status: 'ended', end: END_130 }),
    );
    await collect(store, { compact: true });
    expect(await verify(store)).toMatchObject({ damagedCount: 0 });
  });

  it('another process that writes is waited for', async () => {
    const store = await temporaryStore({ busyTimeoutMs: 1 });
    put(store, 'orphan');
    const other = new Database(join(store.root, 'store.db'));
    other.exec('BEGIN IMMEDIATE');
    setTimeout(() => other.exec('COMMIT'), 200);
    expect(await collect(store)).toMatchObject({ deletedEntries: 1 });
    other.close();
  });

  it('a thread that an old node has become the start of again keeps it', async () => {
    const store = await temporaryStore();
    const start = store.write('full', () => putStart(store, 'again'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const work = store.upkeep.collect({ registryRoots: async () => [], graceMs: 0 });
    // Marked: nothing needs it.
    await work.next();
    createThread(store, { start });
    expect(await drain(work)).toMatchObject({ deletedEntries: 0 });
    expect(store.nodes.get(start)).not.toBeNull();
  });
});

/** A clock that never says the same twice, as that of a machine does from one transaction to the next but for bad luck. */
function tickingClock(): () => number {
  let now = 1_000_000;
  return () => {
    now += 1;
    return now;
  };
}

type Act = {
  kind: 'text' | 'thread' | 'step' | 'end' | 'remove' | 'fork' | 'link' | 'slice';
  pick: number;
};
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Act['kind']>(
      ...([
        'text',
        'thread',
        'step',
        'step',
        'end',
        'remove',
        'fork',
        'link',
        'slice',
        'slice',
      ] as const),
    ),
    pick: fc.nat(1_000),
  }),
  { minLength: 20, maxLength: 60 },
);

it('loses nothing that is needed, whatever happens meanwhile, and leaves nothing that is not', async () => {
  await fc.assert(
    fc.asyncProperty(acts, acts, async (before, during) => {
      const root = temporaryRoot();
      const clock = tickingClock();
      const store = await openStore(root, { clock });
      const other = await openStore(root, { clock });
      const world = createWorld(other);
      for (const act of before) world.act(act);
      const orphans = everyHash(store);
      // Before it marks, between mark and sweep, and in each turn of the event loop between its slices something else happens.
      const queue = [...during];
      const some = (count: number): void => {
        for (const act of queue.splice(0, count)) world.act(act);
      };
      let isOver = false;
      const busy = async (): Promise<void> => {
        while (!isOver) {
          some(1);
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      let background: Promise<void> | null = null;
      const part = Math.ceil(during.length / 3);
      const registryRoots = async (): Promise<Hash[]> => {
        some(part);
        if (queue.length <= part) background ??= busy();
        return [];
      };
      await collect(store, { registryRoots });
      isOver = true;
      await background;
      world.check();
      expect((await verify(store)).damagedCount).toBe(0);
      // What was there before and is not needed goes, now that nothing happens any more.
      world.endAll();
      await collect(store);
      const needed = world.reachable();
      expect(
        everyHash(store).filter((hash) => orphans.includes(hash) && !needed.has(hash)),
      ).toEqual([]);
      world.check();
      const db = new Database(join(root, 'store.db'));
      expect(db.pragma('foreign_key_check')).toEqual([]);
      expect(
        db
          .prepare(
            'SELECT count(*) FROM ref WHERE src NOT IN (SELECT id FROM node) OR dst NOT IN (SELECT id FROM node)',
          )
          .pluck()
          .get(),
      ).toBe(0);
      db.close();
      store.close();
      other.close();
    }),
    { numRuns: 12 },
  );
});

/** Somebody who works with the store as others do, and knows what must still be there. */
function createWorld(store: Store) {
  let count = 0;
  const next = (): number => {
    count += 1;
    return count;
  };
  const running = new Map<ThreadId, { fence: number; steps: number }>();
  const over = new Set<ThreadId>();
  const texts: Hash[] = [];

  function reachable(): Set<Hash> {
    const found = new Set<Hash>();
    const open: Hash[] = [];
    for (const row of store.threads.list({ limit: 1_000 })) {
      open.push(row.start, row.head);
      for (const { hash } of store.steps.list(row.id)) if (hash !== null) open.push(hash);
    }
    for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
      if (found.has(hash)) continue;
      found.add(hash);
      open.push(...(store.nodes.get(hash)?.refs ?? []));
    }
    return found;
  }

  const pickOf = <T>(from: Iterable<T>, pick: number): T | undefined => {
    const all = [...from];
    return all[pick % Math.max(1, all.length)];
  };

  const kinds: Record<Act['kind'], (pick: number) => void> = {
    text: () => void texts.push(put(store, `text ${next()}`)),
    // Refers to a text that nothing else may refer to, if it is there still.
    link: (pick) => {
      const text = pickOf(texts, pick);
      const thread = pickOf(running, pick);
      if (text === undefined || thread === undefined) return;
      const [id, { fence, steps }] = thread;
      store.write('full', () => {
        if (!store.nodes.has(text)) return;
        step(id, fence, steps + 1, text);
        thread[1].steps += 1;
      });
    },
    thread: () => {
      createThread(store, { id: `0${String(next()).padStart(25, '0')}` });
      const claimed = claim(store)!;
      running.set(claimed.id, { fence: claimed.fence, steps: 0 });
    },
    step: (pick) => {
      const thread = pickOf(running, pick);
      if (thread === undefined) return;
      const [id, state] = thread;
      state.steps += 1;
      store.write('full', () =>
        step(id, state.fence, state.steps, store.nodes.putText(`said ${pick % 7}`)),
      );
    },
    end: (pick) => {
      const thread = pickOf(running, pick);
      if (thread !== undefined) end(thread[0], thread[1].fence);
    },
    remove: (pick) => {
      const id = pickOf(over, pick);
      if (id === undefined) return;
      store.write('full', () => store.threads.remove(id));
      over.delete(id);
    },
    fork: (pick) => {
      const id = pickOf([...running.keys(), ...over], pick);
      const row = id === undefined ? null : store.threads.get(id);
      if (row === null) return;
      const forkedSeq = pick % (row.steps + 1);
      const fork = `0${String(next()).padStart(25, '0')}`;
      store.write('full', () =>
        store.threads.fork(
          { ...row, id: fork, forkedFrom: row.id, forkedSeq, createdAt: count },
          pick % 2 === 0 ? null : { prompt: `fork ${pick}`, agents: null, definition: null },
        ),
      );
      const claimed = claim(store)!;
      running.set(claimed.id, { fence: claimed.fence, steps: forkedSeq });
    },
    slice: () => undefined,
  };

  function step(thread: ThreadId, fence: number, seq: number, content: Hash): void {
    const at = { thread, seq, attempt: 1, fence };
    // Long ago, so that it is not what keeps anything.
    store.steps.start({ ...at, role: 'worker', agent: 'run', startedAt: 0 });
    const input = commitInput(store, { id: thread, fence }, seq);
    store.steps.commit({ ...input, state: { ...input.state, content } });
  }

  function end(id: ThreadId, fence: number): void {
    store.write('full', () =>
      store.threads.settle(id, fence, { status: 'ended', end: { ...END_130, summary: id } }),
    );
    running.delete(id);
    over.add(id);
  }

  return {
    act: ({ kind, pick }: Act) => kinds[kind](pick),
    reachable,
    endAll: () => {
      for (const [id, { fence }] of [...running]) end(id, fence);
    },
    check: () => {
      for (const hash of reachable()) expect(store.nodes.get(hash)).not.toBeNull();
    },
  };
}

it('a step that was committed while it ran is there', async () => {
  const store = await temporaryStore();
  for (let i = 0; i < 200; i += 1) put(store, `orphan ${i}`);
  const thread = runningThread(store);
  const work = collect(store);
  const hashes: Hash[] = [];
  for (let seq = 1; seq <= 20; seq += 1) {
    startStep(store, thread, seq);
    hashes.push(commitStep(store, thread, seq));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await work;
  for (const hash of hashes) expect(store.nodes.get(hash)).not.toBeNull();
});
