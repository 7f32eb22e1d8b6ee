import type { ThreadId } from '@uncaged/protocol/ids';
import { describe, expect, it } from 'vitest';
import { claim, createThread, NO_LIMITS, temporaryStore } from './test-store.js';

describe('the place of a queued thread', () => {
  const setUp = async () => {
    let now = 1_000;
    const store = await temporaryStore({ clock: () => now });
    const start = (workflow: string): ThreadId => {
      now += 1;
      return createThread(store, { workflow, createdAt: now });
    };
    return { store, start };
  };

  it('is the one among all while only a worker is missing or the node is full', async () => {
    const { store, start } = await setUp();
    const ids = [start('a'), start('b'), start('a')];
    const places = (limits = NO_LIMITS) => ids.map((id) => store.threads.queuePlace(id, limits));
    const worker = (position: number) => ({ position, waitsFor: 'worker' });
    expect(places()).toEqual([worker(1), worker(2), worker(3)]);
    claim(store);
    expect(places()).toEqual([null, worker(1), worker(2)]);
    const node = (position: number) => ({ position, waitsFor: 'node' });
    expect(places({ node: 1, workflows: {} })).toEqual([null, node(1), node(2)]);
  });

  it('is the one among those of its workflow where that has no slot left', async () => {
    const { store, start } = await setUp();
    const [running, b, a1, a2] = [start('a'), start('b'), start('a'), start('a')];
    claim(store);
    const limits = { node: 1_000, workflows: { a: 1 } };
    expect([running, b, a1, a2].map((id) => store.threads.queuePlace(id!, limits))).toEqual([
      null,
      { position: 1, waitsFor: 'worker' },
      { position: 1, waitsFor: 'workflow' },
      { position: 2, waitsFor: 'workflow' },
    ]);
    expect(claim(store, limits)?.id).toBe(b);
  });

  it('tells threads apart that were queued in the same millisecond, and knows no others', async () => {
    const { store } = await setUp();
    const ids = Array.from({ length: 3 }, () => createThread(store, { createdAt: 7 })).sort();
    expect(ids.map((id) => store.threads.queuePlace(id, NO_LIMITS)?.position)).toEqual([1, 2, 3]);
    expect(store.threads.queuePlace('01JZZZZZZZZZZZZZZZZZZZZZZZ', NO_LIMITS)).toBeNull();
  });
});
