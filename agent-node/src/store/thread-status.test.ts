import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claim, createThread, END_130, temporaryStore } from './test-store.js';
import type { ThreadRow, ThreadStatus } from './types.js';

const ALLOWED: Record<ThreadStatus, ThreadStatus[]> = {
  queued: ['running', 'cancelled'],
  running: ['paused', 'waiting', 'interrupted', 'completed', 'failed', 'cancelled'],
  waiting: ['queued', 'interrupted', 'failed', 'cancelled'],
  paused: ['queued', 'cancelled'],
  interrupted: ['queued', 'cancelled'],
  failed: ['queued', 'cancelled'],
  completed: [],
  cancelled: [],
};

describe('status of a thread', () => {
  it('moves only as the table says, whatever is tried in whatever order; a lease exists exactly while it runs', async () => {
    const store = await temporaryStore();
    const { threads } = store;
    const moves: Record<string, (thread: ThreadRow) => unknown> = {
      claim: () =>
        threads.claimNext(
          {
            workerKey: 'definitions',
            instance: 'w',
            identity: { pid: 1, processStart: '1', bootId: 'b' },
            renewedAt: 1,
          },
          { node: 9, workflows: {} },
        ),
      pause: ({ id, fence }) => threads.settle(id, fence, { status: 'paused', reason: 'user' }),
      wait: ({ id, fence }) => threads.settle(id, fence, { status: 'waiting' }),
      fail: ({ id, fence }) =>
        threads.settle(id, fence, {
          status: 'failed',
          problem: { code: 'internal', message: 'x' },
        }),
      end: ({ id, fence }) =>
        threads.settle(id, fence, { status: 'ended', end: { ...END_130, returnCode: 0 } }),
      endFailed: ({ id, fence }) =>
        threads.settle(id, fence, { status: 'ended', end: { ...END_130, returnCode: 2 } }),
      die: () => threads.interruptDead(() => true),
      resume: ({ id }) => threads.requeue(id, { retry: false }),
      retry: ({ id }) => threads.requeue(id, { retry: true }),
      cancel: ({ id }) => threads.cancelIdle(id, END_130),
    };
    const expected = new Set(['lease-lost', 'thread-owned', 'thread-state']);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...Object.keys(moves)), { maxLength: 12 }), (names) => {
        const id = createThread(store);
        for (const name of names) {
          const before = threads.get(id)!;
          try {
            store.write('normal', () => moves[name]!(before));
          } catch (error) {
            expect(expected).toContain((error as { code?: string }).code);
          }
          const after = threads.get(id)!;
          const isOver = before.status === 'failed' && before.returnCode !== null;
          if (after.status !== before.status) {
            expect(isOver ? [] : ALLOWED[before.status]).toContain(after.status);
          }
          expect(store.leases.get(id) !== null).toBe(after.status === 'running');
          expect(after.fence).toBeGreaterThanOrEqual(before.fence);
        }
        // Nothing of this thread may be claimed by the next run.
        if (threads.get(id)!.status === 'queued') claim(store);
        threads.interruptDead(() => true);
      }),
      { numRuns: 60 },
    );
  });
});
