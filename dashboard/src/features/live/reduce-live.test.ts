import { describe, expect, it } from 'vitest';
import { REMEMBERED_THREADS } from '../../limits.js';
import type { LiveChange } from './live-change.js';
import { emptyLiveState, type LiveState, placeOf } from './live-state.js';
import { reduceLive } from './reduce-live.js';
import { sampleEvent, sampleMachine, sampleSnapshot, sampleThread } from './sample.test-data.js';

const thread = sampleThread();
const place = placeOf(thread.node, thread.threadId);
const after = (...changes: LiveChange[]): LiveState => changes.reduce(reduceLive, emptyLiveState);
const snapshot: LiveChange = { type: 'snapshot', data: sampleSnapshot(), resumed: false };
const event = (...args: Parameters<typeof sampleEvent>): LiveChange => ({
  type: 'event',
  data: sampleEvent(...args),
});
const live = (n: number, text: string, step = 1): LiveChange => ({
  type: 'live',
  data: { node: thread.node, thread: thread.threadId, step, n, kind: 'text', text },
});

describe('a snapshot', () => {
  it('makes it live and tells what runs', () => {
    const state = after(snapshot);
    expect(state.connection).toEqual({ state: 'live' });
    expect(Object.keys(state.nodes)).toEqual(['build-1', 'build-2']);
    expect(state.threads[place]?.status).toBe('running');
  });

  it('after a cut forgets what was known of nodes that are there, and keeps those that are away as last seen', () => {
    const away = sampleThread({ node: 'build-2', threadId: '01M8Q9VTBKK0Q6ZM5087E6DBR2' });
    const state = after(snapshot, { type: 'summary', data: away }, live(1, 'said'), {
      type: 'snapshot',
      data: sampleSnapshot(20, []),
      resumed: false,
    });
    expect(Object.values(state.threads)).toEqual([away]);
    expect(state.texts).toEqual({});
  });

  it('of a stream that only asked for other texts keeps all', () => {
    const state = after(snapshot, live(1, 'said'), {
      type: 'snapshot',
      data: sampleSnapshot(10, []),
      resumed: true,
    });
    expect(state.threads[place]).toBeDefined();
    expect(state.texts[place]?.pieces).toEqual([{ kind: 'text', text: 'said' }]);
  });
});

describe('an event', () => {
  it('moves a thread on', () => {
    const state = after(
      snapshot,
      event(11, 'step.started', { seq: 1, attempt: 1, role: 'coder' }),
      event(12, 'step.committed', { seq: 1, attempt: 1, role: 'coder', hash: 'H' }),
      event(13, 'thread.completed', { returnCode: 0, summary: 'Approved.' }),
    );
    expect(state.threads[place]).toMatchObject({
      status: 'completed',
      role: 'coder',
      stepCount: 1,
      summary: 'Approved.',
      returnCode: 0,
      endedAt: '2026-05-03T10:00:05.000Z',
    });
  });

  it('that came before changes nothing, so that two streams may overlap', () => {
    const committed = event(11, 'step.committed', { seq: 1 });
    const once = after(snapshot, committed);
    expect(reduceLive(once, committed)).toBe(once);
    expect(reduceLive(once, event(9, 'thread.failed'))).toBe(once);
  });

  it('of a removal takes the thread away', () => {
    const state = after(snapshot, event(11, 'thread.removed'));
    expect(state.threads[place]).toBeUndefined();
    expect(state.removed[place]).toBe(true);
  });

  it('says why it is paused, and forgets that when it goes on', () => {
    const paused = after(snapshot, event(11, 'thread.paused', { reason: 'loop' }));
    expect(paused.threads[place]).toMatchObject({ status: 'paused', reason: 'loop' });
    expect(reduceLive(paused, event(12, 'thread.resumed')).threads[place]).toMatchObject({
      status: 'running',
      reason: null,
    });
  });

  it('that begins or ends an attempt drops the text of the one before', () => {
    const state = after(snapshot, live(1, 'first attempt'));
    for (const type of [
      'step.started',
      'step.committed',
      'step.failed',
      'thread.interrupted',
    ] as const)
      expect(reduceLive(state, event(11, type)).texts).toEqual({});
  });
});

describe('a node', () => {
  it('that goes keeps its threads as last seen', () => {
    const state = after(snapshot, {
      type: 'node.down',
      data: { node: 'build-1', machine: sampleMachine('build-1', 'offline') },
    });
    expect(state.nodes['build-1']?.machine.state).toBe('offline');
    expect(state.threads[place]?.status).toBe('running');
  });

  it('that comes back replaces what was known of it, also when its events begin anew', () => {
    const state = after(snapshot, {
      type: 'node.up',
      data: {
        node: 'build-1',
        machine: sampleMachine('build-1'),
        snapshot: { seq: 2, counts: {} as never, threads: [] },
      },
    });
    expect(state.threads).toEqual({});
    const fresh = reduceLive(state, { type: 'summary', data: thread });
    expect(reduceLive(fresh, event(3, 'thread.failed')).threads[place]?.status).toBe('failed');
  });
});

it('remembers so many threads and no more, and the running ones of all', () => {
  const rows = Array.from({ length: REMEMBERED_THREADS + 50 }, (_, index) =>
    sampleThread({
      threadId: `01M8Q9VTBKK0Q6ZM50${String(index).padStart(8, '0')}`,
      status: index === 0 ? 'running' : 'completed',
      updatedAt: new Date(index).toISOString(),
    }),
  );
  const state = after(...rows.map((data): LiveChange => ({ type: 'summary', data })));
  expect(Object.keys(state.threads)).toHaveLength(REMEMBERED_THREADS);
  expect(state.threads[placeOf('build-1', rows[0]!.threadId)]).toBeDefined();
});
