import { createThreadId } from '@uncaged/protocol/ids';
import { describe, expect, it } from 'vitest';
import { openStore } from './open-store.js';
import type { Store } from './store.js';
import {
  claim,
  commitStep,
  createThread,
  END_130,
  NO_LIMITS,
  putStart,
  runningThread,
  startStep,
  temporaryRoot,
  temporaryStore,
} from './test-store.js';
import type { ThreadStatus } from './types.js';

const eventsOf = (store: Store, thread: string): string[] =>
  store.events.after({ seq: 0, thread, limit: 200 }).map((event) => event.type);

const code = (name: string): unknown => expect.objectContaining({ code: name });

const END_0 = { ...END_130, returnCode: 0, summary: 'done' };

describe('a new thread', () => {
  it('is queued at its start', async () => {
    const store = await temporaryStore();
    const id = createThread(store, { workspace: '/w', prompt200: 'hello' });
    const thread = store.threads.get(id)!;
    expect(thread).toMatchObject({
      status: 'queued',
      desired: 'run',
      workspace: '/w',
      prompt200: 'hello',
      steps: 0,
      fence: 0,
      returnCode: null,
      usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
    });
    expect(thread.head).toBe(thread.start);
    expect(eventsOf(store, id)).toEqual(['thread.queued']);
  });

  it('needs a start that is stored', async () => {
    const store = await temporaryStore();
    expect(() => createThread(store, { start: '0000000000000' })).toThrow(code('node-not-found'));
  });

  it('is not found under another id or what is no id', async () => {
    const store = await temporaryStore();
    for (const id of ['', '../x', createThreadId(1), "' OR 1=1 --"])
      expect(store.threads.get(id)).toBeNull();
  });
});

describe('finding threads', () => {
  it('goes by prefix', async () => {
    const store = await temporaryStore();
    const one = createThread(store, { id: '01HZZZZZZZ0000000000000001' });
    const two = createThread(store, { id: '01HZZZZZZZ0000000000000002' });
    createThread(store, { id: '01J00000000000000000000003' });
    expect(store.threads.findByPrefix('01HZ', 10)).toEqual([one, two]);
    expect(store.threads.findByPrefix(two, 10)).toEqual([two]);
    expect(store.threads.findByPrefix('01HZ', 1)).toEqual([one]);
    expect(store.threads.findByPrefix('%', 10)).toEqual([]);
  });

  it('lists newest first, in pages, by status, workflow and text', async () => {
    const store = await temporaryStore();
    const ids = Array.from({ length: 7 }, (_, i) =>
      createThread(store, {
        id: createThreadId(1_000 + i),
        workflow: i % 2 === 0 ? 'even' : 'odd',
        prompt200: i === 3 ? '50% of_it' : 'Other text',
      }),
    ).reverse();
    const list = (query: Partial<Parameters<Store['threads']['list']>[0]>): string[] =>
      store.threads.list({ limit: 100, ...query }).map((thread) => thread.id);
    expect(list({})).toEqual(ids);
    expect(list({ limit: 3 })).toEqual(ids.slice(0, 3));
    expect(list({ before: ids[2]!, limit: 3 })).toEqual(ids.slice(3, 6));
    expect(list({ workflow: 'odd' })).toHaveLength(3);
    expect(list({ q: '50% of_' })).toEqual([ids[3]]);
    expect(list({ q: '50%' })).toEqual([ids[3]]);
    expect(list({ q: '5%' })).toEqual([]);
    expect(list({ q: 'other' })).toHaveLength(6);
    expect(list({ q: 'ev' })).toHaveLength(4);
    expect(list({ q: ids[0]!.toLowerCase() })).toEqual([ids[0]]);
    claim(store);
    expect(list({ statuses: ['running'] })).toEqual([ids[6]]);
    expect(list({ statuses: ['running', 'completed'] })).toEqual([ids[6]]);
    expect(list({ statuses: [] })).toEqual([]);
    expect(store.threads.countByStatus()).toMatchObject({ queued: 6, running: 1, completed: 0 });
  });
});

describe('claiming', () => {
  it('takes the oldest of the worker, gives it a lease and the next fence', async () => {
    const store = await temporaryStore();
    const [old, young] = [
      createThread(store, { createdAt: 1 }),
      createThread(store, { createdAt: 2 }),
    ];
    createThread(store, { createdAt: 0, worker: 'bundle' });
    expect(store.threads.queuedWorkers(NO_LIMITS)).toEqual(['bundle', 'definitions']);
    expect(claim(store)).toMatchObject({ id: old, status: 'running', fence: 1 });
    expect(store.leases.get(old)).toMatchObject({
      owner: 'worker-1',
      pid: 4711,
      fence: 1,
      renewedAt: 1_000,
    });
    expect(claim(store)!.id).toBe(young);
    expect(claim(store)).toBeNull();
    expect(eventsOf(store, old)).toEqual(['thread.queued', 'thread.started']);
  });

  it('respects the slots of the node and of the workflow', async () => {
    const store = await temporaryStore();
    createThread(store, { createdAt: 1, workflow: 'a' });
    createThread(store, { createdAt: 2, workflow: 'a' });
    const b = createThread(store, { createdAt: 3, workflow: 'b', worker: 'other' });
    const limits = { node: 2, workflows: { a: 1 } };
    expect(claim(store, limits)!.workflow).toBe('a');
    expect(claim(store, limits)).toBeNull();
    expect(store.threads.queuedWorkers(limits)).toEqual(['other']);
    expect(claim(store, limits, 'other')!.id).toBe(b);
    expect(claim(store, { node: 2, workflows: {} })).toBeNull();
    expect(store.threads.queuedWorkers({ node: 2, workflows: {} })).toEqual([]);
    expect(claim(store)!.workflow).toBe('a');
  });
});

describe('settling', () => {
  it('pauses with a reason and lets the lease go', async () => {
    const store = await temporaryStore();
    const { id, fence } = runningThread(store);
    store.write('full', () =>
      store.threads.settle(id, fence, { status: 'paused', reason: 'max-steps' }),
    );
    expect(store.threads.get(id)).toMatchObject({ status: 'paused', reason: 'max-steps' });
    expect(store.leases.get(id)).toBeNull();
    expect(eventsOf(store, id).at(-1)).toBe('thread.paused');
  });

  it.each<[number, ThreadStatus]>([
    [0, 'completed'],
    [1, 'failed'],
    [130, 'cancelled'],
  ])('ends with code %i as %s, with an end state as head', async (returnCode, status) => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    startStep(store, thread, 1);
    const state = commitStep(store, thread, 1);
    store.write('full', () =>
      store.threads.settle(thread.id, thread.fence, {
        status: 'ended',
        end: { ...END_130, returnCode },
      }),
    );
    const after = store.threads.get(thread.id)!;
    expect(after).toMatchObject({ status, returnCode, summary: 'killed', steps: 1 });
    expect(after.endedAt).not.toBeNull();
    expect(store.nodes.get(after.head)).toMatchObject({
      type: 'state',
      payload: {
        role: '__end__',
        start: thread.start,
        ancestors: [state],
        content: null,
        meta: { returnCode, summary: 'killed', ownSummary: null },
      },
    });
    expect(eventsOf(store, thread.id).at(-1)).toBe(`thread.${status}`);
    expect(() =>
      store.write('full', () => store.threads.requeue(thread.id, { retry: true })),
    ).toThrow(code('thread-state'));
    expect(() => store.write('full', () => store.threads.setDesired(thread.id, 'kill'))).toThrow(
      code('thread-state'),
    );
  });

  it('refuses an owner whose lease is gone or newer', async () => {
    const store = await temporaryStore();
    const { id, fence } = runningThread(store);
    const settle = (number: number): void =>
      store.write('full', () => store.threads.settle(id, number, { status: 'waiting' }));
    expect(() => settle(fence + 1)).toThrow(code('lease-lost'));
    settle(fence);
    expect(() => settle(fence)).toThrow(code('lease-lost'));
  });
});

describe('threads whose owner is dead', () => {
  it('become interrupted, their running steps too, and a late commit is refused', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    startStep(store, thread, 1);
    expect(store.threads.interruptDead((lease) => lease.pid === 4711)).toEqual([thread.id]);
    expect(store.threads.get(thread.id)!.status).toBe('interrupted');
    expect(store.steps.list(thread.id)[0]!.status).toBe('interrupted');
    expect(() => commitStep(store, thread, 1)).toThrow(code('lease-lost'));
    expect(store.nodes.list({ type: 'state', limit: 1 })).toEqual([]);
    expect(eventsOf(store, thread.id).at(-1)).toBe('thread.interrupted');
  });

  it('cost no write transaction when there are none', async () => {
    const root = temporaryRoot();
    const [store, other] = [
      await openStore(root, { clock: Date.now }),
      await openStore(root, { clock: Date.now }),
    ];
    runningThread(store);
    const before = other.dataVersion();
    other.write('normal', () => expect(store.threads.interruptDead(() => false)).toEqual([]));
    expect(other.dataVersion()).toBe(before);
    store.close();
    other.close();
  });

  it('are asked about again inside the transaction', async () => {
    const store = await temporaryStore();
    const { id } = runningThread(store);
    let asked = 0;
    expect(store.threads.interruptDead(() => ++asked === 1)).toEqual([]);
    expect(store.threads.get(id)!.status).toBe('running');
  });
});

describe('requeueing', () => {
  it('resumes what is paused, with raised limits', async () => {
    const store = await temporaryStore();
    const options = {
      agents: { a: 'x' },
      maxSteps: 5,
      maxVisits: 2,
      budget: { tokens: 1, usd: null },
      stopAt: null,
    };
    const { id, fence } = runningThread(store, { options });
    store.write('full', () => {
      store.threads.setDesired(id, 'pause');
      store.threads.settle(id, fence, { status: 'paused', reason: 'max-steps' });
      store.threads.requeue(id, {
        retry: false,
        raise: { maxSteps: 9, budget: { tokens: null, usd: 3 } },
      });
    });
    expect(store.threads.get(id)).toMatchObject({
      status: 'queued',
      desired: 'run',
      reason: null,
      options: { agents: { a: 'x' }, maxSteps: 9, maxVisits: 2, budget: { tokens: 1, usd: 3 } },
    });
    expect(claim(store)).toMatchObject({ id, fence: fence + 1 });
    expect(eventsOf(store, id).at(-1)).toBe('thread.resumed');
  });

  it('retries a failed one only when asked to', async () => {
    const store = await temporaryStore();
    const { id, fence } = runningThread(store);
    const problem = { code: 'no-route', message: 'nowhere' } as const;
    store.write('full', () => store.threads.settle(id, fence, { status: 'failed', problem }));
    expect(store.threads.get(id)).toMatchObject({ status: 'failed', problem, returnCode: null });
    const requeue = (retry: boolean): void =>
      store.write('full', () => store.threads.requeue(id, { retry }));
    expect(() => requeue(false)).toThrow(code('thread-state'));
    requeue(true);
    expect(store.threads.get(id)).toMatchObject({ status: 'queued', problem: null, endedAt: null });
  });

  it('names the owner, or says that it is queued already', async () => {
    const store = await temporaryStore();
    const id = createThread(store);
    const requeue = (): void =>
      store.write('full', () => store.threads.requeue(id, { retry: false }));
    expect(requeue).toThrow(code('thread-state'));
    claim(store);
    expect(requeue).toThrow(
      expect.objectContaining({ code: 'thread-owned', message: expect.stringContaining('4711') }),
    );
    expect(() => store.write('full', () => store.threads.requeue('x', { retry: false }))).toThrow(
      code('thread-not-found'),
    );
  });

  it('lets one of two win', async () => {
    const root = temporaryRoot();
    const stores = [
      await openStore(root, { clock: Date.now }),
      await openStore(root, { clock: Date.now }),
    ];
    const { id, fence } = runningThread(stores[0]!);
    stores[0]!.write('full', () =>
      stores[0]!.threads.settle(id, fence, { status: 'paused', reason: 'user' }),
    );
    const results = await Promise.allSettled(
      stores.map((store) =>
        store.enqueue('full', () => store.threads.requeue(id, { retry: false })),
      ),
    );
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const store of stores) store.close();
  });
});

describe('cancelling what nobody owns', () => {
  it('ends it with code 130', async () => {
    const store = await temporaryStore();
    const id = createThread(store);
    const hash = store.write('full', () => store.threads.cancelIdle(id, END_130));
    expect(store.threads.get(id)).toMatchObject({
      status: 'cancelled',
      returnCode: 130,
      head: hash,
    });
    expect(() => store.write('full', () => store.threads.cancelIdle(id, END_130))).toThrow(
      code('thread-state'),
    );
  });

  it('is refused when there is an owner', async () => {
    const store = await temporaryStore();
    const { id } = runningThread(store);
    expect(() => store.write('full', () => store.threads.cancelIdle(id, END_130))).toThrow(
      code('thread-owned'),
    );
  });

  it('also ends a failed thread that could have been retried', async () => {
    const store = await temporaryStore();
    const { id, fence } = runningThread(store);
    const problem = { code: 'timeout', message: 'late' } as const;
    store.write('full', () => store.threads.settle(id, fence, { status: 'failed', problem }));
    store.write('full', () => store.threads.cancelIdle(id, END_130));
    expect(store.threads.get(id)!.status).toBe('cancelled');
  });
});

describe('removing a thread', () => {
  it('takes its rows everywhere but nodes, and says so', async () => {
    const store = await temporaryStore();
    const thread = runningThread(store);
    startStep(store, thread, 1);
    commitStep(store, thread, 1);
    const remove = () => store.write('full', () => store.threads.remove(thread.id));
    expect(remove).toThrow(code('thread-state'));
    store.write('full', () =>
      store.threads.settle(thread.id, thread.fence, { status: 'ended', end: END_0 }),
    );
    const nodes = store.nodes.list({ limit: 100 });
    const lastSeq = store.events.lastSeq();
    remove();
    expect(store.threads.get(thread.id)).toBeNull();
    expect(store.steps.list(thread.id)).toEqual([]);
    expect(eventsOf(store, thread.id)).toEqual(['thread.removed']);
    expect(store.events.lastSeq()).toBe(lastSeq + 1);
    expect(store.nodes.list({ limit: 100 })).toEqual(nodes);
    expect(remove).toThrow(code('thread-not-found'));
  });
});

it('a start may be shared by threads', async () => {
  const store = await temporaryStore();
  const start = store.write('full', () => putStart(store));
  const ids = [
    createThread(store, { start }),
    createThread(store, { start, id: createThreadId(5) }),
  ];
  expect(ids.map((id) => store.threads.get(id)!.start)).toEqual([start, start]);
});
