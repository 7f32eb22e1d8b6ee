import { createThreadId } from '@uncaged/protocol/ids';
import { expect, it } from 'vitest';
import {
  claim,
  createThread,
  END_130,
  NO_LIMITS,
  runningThread,
  startStep,
  temporaryStore,
} from './test-store.js';

const ONE = { node: 1, workflows: {} };
const nestedIn = (parent: string, more = {}) => ({ parent, parentSeq: 1, depth: 1, ...more });

it('a nested thread begins in a node that is full, and another one does not', async () => {
  const store = await temporaryStore();
  const parent = runningThread(store);
  const other = createThread(store);
  expect(claim(store, ONE)).toBeNull();
  const child = createThread(store, nestedIn(parent.id));
  expect(store.threads.queuePlace(other, ONE)).toMatchObject({ waitsFor: 'node' });
  expect(store.threads.queuePlace(child, ONE)).toMatchObject({ waitsFor: 'worker' });
  expect(store.threads.queuedWorkers(ONE)).toHaveLength(1);
  expect(claim(store, ONE)?.id).toBe(child);
  // The two have one slot: a second one lets one more in.
  expect(claim(store, ONE)).toBeNull();
  expect(claim(store, { node: 2, workflows: {} })?.id).toBe(other);
});

it('a nested thread whose parent does not run needs a slot of its own', async () => {
  const store = await temporaryStore();
  const parent = runningThread(store);
  store.write('full', () =>
    store.threads.settle(parent.id, parent.fence, { status: 'paused', reason: 'user' }),
  );
  runningThread(store);
  createThread(store, nestedIn(parent.id));
  expect(claim(store, ONE)).toBeNull();
});

it('the limit of a workflow holds for nested threads, and those that wait for one do not count', async () => {
  const store = await temporaryStore();
  const limits = { node: 9, workflows: { self: 1 } };
  const top = runningThread(store, { workflow: 'self' });
  const second = createThread(store, { workflow: 'self' });
  expect(claim(store, limits)).toBeNull();
  const child = createThread(store, nestedIn(top.id, { workflow: 'self' }));
  const got = claim(store, limits)?.id;
  expect([second, child]).toContain(got);
  expect(claim(store, limits)).toBeNull();
});

it('what is open below a thread is found however deep, copies from packs are not', async () => {
  const store = await temporaryStore();
  const top = runningThread(store);
  const child = createThread(store, nestedIn(top.id));
  const grandchild = createThread(store, nestedIn(child, { depth: 2 }));
  createThread(store, nestedIn(top.id, { imported: true }));
  const done = createThread(store, nestedIn(top.id));
  store.write('full', () => store.threads.cancelIdle(done, END_130));
  expect(store.threads.openDescendants(top.id).map(({ id }) => id)).toEqual([child, grandchild]);
  expect(store.threads.openDescendants(createThreadId(1))).toEqual([]);
});

it('neither of two threads that need each other is removed', async () => {
  const store = await temporaryStore();
  const parent = runningThread(store);
  const child = createThread(store, nestedIn(parent.id));
  store.write('full', () =>
    store.threads.settle(parent.id, parent.fence, { status: 'paused', reason: 'user' }),
  );
  const remove = (id: string) => store.write('full', () => store.threads.remove(id));
  expect(() => remove(parent.id)).toThrow(expect.objectContaining({ code: 'thread-state' }));
  store.write('full', () => store.threads.cancelIdle(child, END_130));
  expect(() => remove(child)).toThrow(expect.objectContaining({ code: 'thread-state' }));
  store.write('full', () => store.threads.cancelIdle(parent.id, END_130));
  remove(child);
  remove(parent.id);
});

it('a thread goes with all that is nested in it and at rest, in one transaction; copies of other makes stay', async () => {
  const store = await temporaryStore();
  const top = runningThread(store);
  const child = createThread(store, nestedIn(top.id));
  const failed = createThread(store, nestedIn(child, { depth: 2 }));
  const copy = createThread(store, nestedIn(top.id, { imported: true }));
  const fork = createThread(store, { forkedFrom: child, forkedSeq: 0 });
  const other = createThread(store);
  const remove = () => store.write('full', () => store.threads.remove(top.id));
  store.write('full', () =>
    store.threads.settle(top.id, top.fence, { status: 'ended', end: END_130 }),
  );
  const ids = [top.id, child, failed, copy, fork, other];
  const there = () => ids.map((id) => store.threads.get(id) !== null);
  // The innermost one is queued yet.
  store.write('full', () => store.threads.cancelIdle(child, END_130));
  expect(remove).toThrow(
    expect.objectContaining({ code: 'thread-state', message: expect.stringContaining(failed) }),
  );
  expect(there()).toEqual([true, true, true, true, true, true]);
  store.write('full', () => store.threads.cancelIdle(failed, END_130));
  const before = store.events.lastSeq();
  expect(remove().map(({ id }) => id)).toEqual([top.id, child, failed]);
  expect(there()).toEqual([false, false, false, true, true, true]);
  expect(
    store.events.after({ seq: before, limit: 9 }).map(({ thread, type }) => [thread, type]),
  ).toEqual([top.id, child, failed].map((id) => [id, 'thread.removed']));
});

it('the nested thread of an attempt stands in its row at once, and only its owner writes it', async () => {
  const store = await temporaryStore();
  const parent = runningThread(store);
  startStep(store, parent, 1);
  const child = createThread(store, nestedIn(parent.id));
  const key = { thread: parent.id, seq: 1, attempt: 1 };
  expect(() =>
    store.write('full', () => store.steps.setChild({ ...key, fence: parent.fence + 1 }, child)),
  ).toThrow(expect.objectContaining({ code: 'lease-lost' }));
  store.write('full', () => store.steps.setChild({ ...key, fence: parent.fence }, child));
  expect(store.steps.lastChild(parent.id, 1)).toMatchObject({ attempt: 1, childThread: child });
  expect(store.steps.lastChild(parent.id, 2)).toBeNull();
  expect(store.events.after({ seq: 0, thread: parent.id, limit: 9 }).at(-1)).toMatchObject({
    type: 'step.nested',
    data: { seq: 1, attempt: 1, role: 'worker', childThread: child },
  });
});

it('going on from a loop and retrying by hand are noted with where they happened', async () => {
  const store = await temporaryStore();
  const thread = runningThread(store);
  startStep(store, thread, 1);
  const settle = (fence: number, outcome: Parameters<typeof store.threads.settle>[2]) =>
    store.write('full', () => store.threads.settle(thread.id, fence, outcome));
  settle(thread.fence, { status: 'failed', problem: { code: 'agent-failed', message: 'it fell' } });
  expect(store.steps.list(thread.id)).toMatchObject([
    { status: 'failed', problem: { code: 'agent-failed' } },
  ]);
  store.write('full', () => store.threads.requeue(thread.id, { retry: true }));
  const marks = () => store.threads.get(thread.id)?.options.marks;
  expect(marks()).toEqual({ loopFrom: 0, retried: { seq: 1, attempts: 1 } });
  const again = claim(store, NO_LIMITS)!;
  settle(again.fence, { status: 'paused', reason: 'user' });
  store.write('full', () => store.threads.requeue(thread.id, { retry: false }));
  expect(marks()).toEqual({ loopFrom: 0, retried: { seq: 1, attempts: 1 } });
});
