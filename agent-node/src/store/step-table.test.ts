import { describe, expect, it } from 'vitest';
import {
  commitInput,
  commitStep,
  createThread,
  runningThread,
  startStep,
  temporaryStore,
} from './test-store.js';

const code = (name: string): unknown => expect.objectContaining({ code: name });

describe('a step', () => {
  it('is shown from its start on, and everything of it is there after its commit', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    startStep(store, thread, 1);
    expect(store.steps.list(thread.id)).toMatchObject([
      {
        seq: 1,
        attempt: 1,
        hash: null,
        role: 'worker',
        agent: 'run',
        status: 'running',
        startedAt: 10,
      },
    ]);
    expect(store.threads.get(thread.id)!.role).toBe('worker');
    const hash = commitStep(store, thread, 1);
    expect(store.steps.list(thread.id)).toMatchObject([
      {
        hash,
        status: 'committed',
        usage: { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 },
        usd: 0.5,
      },
    ]);
    expect(store.threads.get(thread.id)).toMatchObject({
      head: hash,
      steps: 1,
      usage: { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 },
      usd: 0.5,
    });
    expect(store.nodes.get(hash)).toMatchObject({
      payload: {
        role: 'worker',
        attempt: 1,
        start: thread.start,
        ancestors: [],
        meta: { $status: 'ok' },
      },
    });
    expect(store.steps.byHash(hash)).toHaveLength(1);
    expect(
      store.events
        .after({ seq: 0, thread: thread.id, limit: 9 })
        .map((event) => [event.type, event.data]),
    ).toEqual([
      ['thread.queued', { workflow: 'demo' }],
      ['thread.started', { workflow: 'demo', pid: 4711 }],
      ['step.started', { seq: 1, attempt: 1, role: 'worker', agent: 'run' }],
      ['step.committed', { seq: 1, attempt: 1, role: 'worker', hash }],
    ]);
  });

  it('cannot be committed twice, nor without its start', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    expect(() => commitStep(store, thread, 1)).toThrow(/is not running/);
    startStep(store, thread, 1);
    commitStep(store, thread, 1);
    expect(() => commitStep(store, thread, 1)).toThrow(/is not running/);
    expect(store.threads.get(thread.id)!.steps).toBe(1);
    expect(store.nodes.list({ type: 'state', limit: 9 })).toHaveLength(1);
  });

  it('of a fence that does not hold the thread is refused at each of its points', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    startStep(store, thread, 1);
    const late = { ...thread, fence: thread.fence - 1 };
    const problem = { code: 'timeout', message: 'late' } as const;
    expect(() => startStep(store, late, 2)).toThrow(code('lease-lost'));
    expect(() => commitStep(store, late, 1)).toThrow(code('lease-lost'));
    expect(() =>
      store.write('normal', () =>
        store.steps.fail({
          thread: thread.id,
          seq: 1,
          attempt: 1,
          fence: late.fence,
          status: 'failed',
          problem,
          endedAt: 5,
        }),
      ),
    ).toThrow(code('lease-lost'));
    expect(() => startStep(store, { ...thread, id: createThread(store) }, 1)).toThrow(
      code('lease-lost'),
    );
  });

  it('that is fenced rolls back alone in a group commit', async () => {
    const store = await temporaryStore();
    const [one, two] = [runningThread(store), runningThread(store)];
    startStep(store, one, 1);
    startStep(store, two, 1);
    const results = await Promise.allSettled([
      store.enqueue('full', () => store.steps.commit(commitInput(store, one, 1))),
      store.enqueue('full', () => store.steps.commit(commitInput(store, { ...two, fence: 99 }, 1))),
    ]);
    expect(results[0]!.status).toBe('fulfilled');
    expect(results[1]).toMatchObject({ reason: { code: 'lease-lost' } });
    expect(store.threads.get(one.id)!.steps).toBe(1);
    expect(store.threads.get(two.id)!.steps).toBe(0);
  });

  it('counts attempts and visits, and remembers process groups until it commits', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    const key = { thread: thread.id, seq: 1, attempt: 1 };
    const problem = { code: 'timeout', message: 'x'.repeat(10_000) } as const;
    startStep(store, thread, 1);
    store.write('normal', () => {
      store.steps.setProcess(key, { pgid: 99, processStart: '7' });
      store.live.append({ thread: thread.id, seq: 1, n: 0, kind: 'text', text: 'half' });
      store.steps.fail({ ...key, fence: thread.fence, status: 'failed', problem, endedAt: 50 });
    });
    expect(store.steps.list(thread.id)[0]).toMatchObject({
      status: 'failed',
      problem,
      committedAt: 50,
    });
    expect(store.events.after({ seq: 0, thread: thread.id, limit: 9 }).at(-1)!.data).toMatchObject({
      seq: 1,
      role: 'worker',
      status: 'failed',
      problem: { code: 'timeout' },
    });
    expect(store.live.after({ thread: thread.id, seq: 1, n: -1, limit: 9 })).toEqual([]);
    expect(store.steps.attempts(thread.id, 1)).toBe(1);
    expect(store.steps.lastOpen(thread.id)).toEqual({
      seq: 1,
      attempt: 1,
      pgid: 99,
      processStart: '7',
    });
    startStep(store, thread, 1, 2);
    expect(store.steps.attempts(thread.id, 1)).toBe(2);
    expect(store.steps.lastOpen(thread.id)).toEqual({
      seq: 1,
      attempt: 2,
      pgid: null,
      processStart: null,
    });
    store.write('full', () => store.steps.commit(commitInput(store, thread, 1, { attempt: 2 })));
    startStep(store, thread, 2);
    commitStep(store, thread, 2);
    expect(store.steps.list(thread.id).map((step) => [step.seq, step.attempt])).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
    expect(store.steps.list(thread.id, { after: { seq: 1, attempt: 1 }, limit: 2 })).toMatchObject([
      { seq: 1, attempt: 2 },
      { seq: 2, attempt: 1 },
    ]);
  });

  it('drops its live text with its commit', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    startStep(store, thread, 1);
    store.write('normal', () => {
      for (const n of [0, 1, 2])
        store.live.append({ thread: thread.id, seq: 1, n, kind: 'text', text: `${n}` });
    });
    expect(
      store.live.after({ thread: thread.id, seq: 1, n: 0, limit: 9 }).map((row) => row.n),
    ).toEqual([1, 2]);
    commitStep(store, thread, 1);
    expect(store.live.after({ thread: thread.id, seq: 1, n: -1, limit: 9 })).toEqual([]);
  });
});
