import { createThreadId, type ThreadId } from '@uncaged/protocol/ids';
import { describe, expect, it } from 'vitest';
import type { ForkMarker, Store } from './store.js';
import {
  claim,
  commitInput,
  commitStep,
  createThread,
  END_130,
  runningThread,
  startStep,
  temporaryStore,
} from './test-store.js';
import type { ThreadRow } from './types.js';

/** A thread with so many committed steps, let go of. */
async function sourceWith(steps: number): Promise<{ store: Store; source: ThreadRow }> {
  const store = await temporaryStore();
  const thread = runningThread(store);
  for (let seq = 1; seq <= steps; seq++) {
    startStep(store, thread, seq);
    commitStep(store, thread, seq);
  }
  store.write('full', () =>
    store.threads.settle(thread.id, thread.fence, { status: 'ended', end: END_130 }),
  );
  return { store, source: store.threads.get(thread.id)! };
}

function fork(
  store: Store,
  source: ThreadId,
  forkedSeq: number,
  marker: ForkMarker | null = null,
): ThreadRow {
  const row = store.threads.get(source)!;
  const id = createThreadId(Date.now());
  const { workflow, version, kind, worker, start, options, prompt200, workspace } = row;
  const same = { workflow, version, kind, worker, start, options, prompt200, workspace };
  store.write('full', () =>
    store.threads.fork(
      {
        ...same,
        id,
        depth: 0,
        parent: null,
        parentSeq: null,
        forkedFrom: source,
        forkedSeq,
        imported: false,
        createdAt: Date.now(),
      },
      marker,
    ),
  );
  return store.threads.get(id)!;
}

const hashesOf = (store: Store, thread: ThreadId) =>
  store.steps.list(thread).map(({ hash }) => hash);
const stateOf = (store: Store, hash: string) => {
  const node = store.nodes.get(hash);
  if (node?.type !== 'state') throw new Error(`${hash} is no state`);
  return node.payload;
};
const PROMPT = { prompt: 'another way', agents: null, definition: null };

describe('a fork', () => {
  it('begins with the states of the source, and with counters of its own', async () => {
    const { store, source } = await sourceWith(3);
    const all = hashesOf(store, source.id);
    for (const keep of [0, 1, 2, 3]) {
      const thread = fork(store, source.id, keep);
      expect(hashesOf(store, thread.id)).toEqual(all.slice(0, keep));
      expect(thread).toMatchObject({
        status: 'queued',
        start: source.start,
        head: keep === 0 ? source.start : all[keep - 1],
        steps: keep,
        role: keep === 0 ? null : 'worker',
        usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
        usd: 0,
        returnCode: null,
        startedAt: null,
      });
      const [queued] = store.events.after({ seq: 0, thread: thread.id, limit: 9 });
      expect(queued).toMatchObject({
        type: 'thread.queued',
        data: { forkedFrom: source.id, forkedSeq: keep },
      });
      expect(store.steps.list(thread.id)[0]?.usd ?? 0.5).toBe(0.5);
    }
  });

  it('changes neither rows nor nodes of its source', async () => {
    const { store, source } = await sourceWith(3);
    const rows = () => [
      store.threads.get(source.id),
      store.steps.list(source.id),
      store.events.after({ seq: 0, thread: source.id, limit: 100 }),
    ];
    const nodes = () => store.nodes.list({ limit: 1_000 });
    const [before, there] = [rows(), nodes()];
    fork(store, source.id, 2);
    expect(nodes()).toEqual(there);
    const marked = fork(store, source.id, 1, PROMPT);
    expect(rows()).toEqual(before);
    expect(nodes().map(({ hash }) => hash)).toEqual(
      [...there.map(({ hash }) => hash), marked.head].sort(),
    );
  });

  it('leaves out attempts that never committed, and their processes', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    startStep(store, thread, 1);
    const step = { thread: thread.id, seq: 1, attempt: 1 };
    store.write('full', () => {
      store.steps.setProcess(step, { pgid: 4711, processStart: '1' });
      store.steps.fail({
        ...step,
        fence: thread.fence,
        status: 'failed',
        problem: { code: 'timeout', message: 'slow' },
        endedAt: 12,
      });
    });
    startStep(store, thread, 1, 2);
    store.write('full', () =>
      store.steps.setProcess({ ...step, attempt: 2 }, { pgid: 4712, processStart: '1' }),
    );
    store.write('full', () => store.steps.commit(commitInput(store, thread, 1, { attempt: 2 })));
    startStep(store, thread, 2);
    const forked = fork(store, thread.id, 1);
    expect(store.steps.list(forked.id)).toMatchObject([{ seq: 1, attempt: 2, pgid: null }]);
    expect(store.steps.lastOpen(forked.id)).toBeNull();
  });

  it('has its marker as head, which the next step follows', async () => {
    const { store, source } = await sourceWith(2);
    const definition = store.write('full', () => store.nodes.putText('stands for a definition'));
    const marker = { prompt: 'another way', agents: { worker: 'two' }, definition };
    const forked = fork(store, source.id, 1, marker);
    const [first] = hashesOf(store, source.id);
    expect(stateOf(store, forked.head)).toMatchObject({
      role: '__fork__',
      content: null,
      meta: marker,
      start: source.start,
      ancestors: [first],
    });
    expect(store.nodes.get(forked.head)?.refs).toContain(definition);
    expect(store.steps.list(forked.id)).toHaveLength(1);
    const owned = claim(store)!;
    startStep(store, owned, 2);
    const hash = commitStep(store, owned, 2);
    expect(stateOf(store, hash).ancestors).toEqual([forked.head, first]);
    expect(store.threads.get(forked.id)).toMatchObject({ steps: 2, usd: 0.5, head: hash });
  });

  it('keeps a marker that stood at its place in the chain, and no other one', async () => {
    const { store, source } = await sourceWith(2);
    const first = fork(store, source.id, 1, PROMPT);
    expect(fork(store, first.id, 1).head).toBe(first.head);
    const both = fork(store, first.id, 1, { ...PROMPT, prompt: 'a third way' });
    expect(stateOf(store, both.head).ancestors[0]).toBe(first.head);
    const owned = claim(store)!;
    expect(owned.id).toBe(first.id);
    startStep(store, owned, 2);
    const second = commitStep(store, owned, 2);
    expect(fork(store, first.id, 1).head).toBe(first.head);
    expect(fork(store, first.id, 2).head).toBe(second);
    expect(fork(store, first.id, 0).head).toBe(source.start);
    store.write('full', () =>
      store.threads.settle(first.id, owned.fence, { status: 'ended', end: END_130 }),
    );
    expect(fork(store, first.id, 2).head).toBe(second);
    // Ended before it made a step of its own.
    const ended = fork(store, source.id, 2, PROMPT);
    store.write('full', () => store.threads.cancelIdle(ended.id, END_130));
    expect(fork(store, ended.id, 2).head).toBe(ended.head);
    const atStart = fork(store, source.id, 0, PROMPT);
    expect(stateOf(store, atStart.head).ancestors).toEqual([]);
    expect(fork(store, atStart.id, 0).head).toBe(atStart.head);
  });

  it('stays when its source is removed, and refuses one that is not there', async () => {
    const { store, source } = await sourceWith(2);
    const forked = fork(store, source.id, 1);
    store.write('full', () => store.threads.remove(source.id));
    expect(hashesOf(store, forked.id)).toHaveLength(1);
    expect(store.threads.relatives(source.id, 9).map(({ id }) => id)).toEqual([forked.id]);
    const row = { ...forked, id: createThreadId(5), forkedFrom: source.id, forkedSeq: 1 };
    expect(() => store.write('full', () => store.threads.fork(row, null))).toThrow(
      expect.objectContaining({ code: 'thread-not-found' }),
    );
    const tooMany = { ...row, forkedFrom: forked.id, forkedSeq: 2 };
    expect(() => store.write('full', () => store.threads.fork(tooMany, null))).toThrow(
      'cannot keep',
    );
    expect(store.threads.get(row.id)).toBeNull();
  });
});

describe('the history of a thread', () => {
  it('has its committed steps in pages, their sums, and their roles', async () => {
    const { store, source } = await sourceWith(5);
    const page = (afterSeq: number, limit: number) =>
      store.steps.committed(source.id, { afterSeq, limit }).map(({ seq }) => seq);
    expect(page(0, 2)).toEqual([1, 2]);
    expect(page(3, 9)).toEqual([4, 5]);
    expect(page(5, 9)).toEqual([]);
    expect(store.steps.totals(source.id, 3)).toMatchObject({
      steps: 2,
      usd: 1,
      usage: { input: 2, cacheRead: 4, cacheWrite: 6, output: 8 },
    });
    expect(store.steps.totals(source.id, 5)).toMatchObject({ steps: 0, usd: 0, durationMs: 0 });
    expect(store.steps.roles(source.id, 9)).toEqual(['worker']);
    expect(store.steps.lastOfRole(source.id, 'worker')).toBe(5);
    expect(store.steps.lastOfRole(source.id, 'nobody')).toBeNull();
  });

  it('tells of relatives by the index, forks and nested ones, oldest first', async () => {
    const { store, source } = await sourceWith(1);
    const ids = [
      fork(store, source.id, 1).id,
      createThread(store, { parent: source.id, parentSeq: 1, depth: 1 }),
      fork(store, source.id, 0).id,
    ].sort();
    expect(store.threads.relatives(source.id, 9).map(({ id }) => id)).toEqual(ids);
    expect(store.threads.relatives(source.id, 2)).toHaveLength(2);
    expect(store.threads.relatives(ids[0]!, 2)).toEqual([]);
  });
});
