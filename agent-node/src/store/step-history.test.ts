import { describe, expect, it } from 'vitest';
import { claim, commitStep, runningThread, startStep, temporaryStore } from './test-store.js';
import type { ThreadRow } from './types.js';

describe('how long a thread ran', () => {
  it('is the time of its attempts, also of failed ones and the one under way, and not what lies between', async () => {
    let now = 10;
    const store = await temporaryStore({ clock: () => now });
    const thread = runningThread(store);
    const ran = (row: ThreadRow = thread) => store.steps.ranMs(row, now);
    expect(ran()).toBe(0);
    startStep(store, thread, 1);
    now = 110;
    expect(ran()).toBe(100);
    commitStep(store, thread, 1);
    expect(ran()).toBe(100);
    store.write('full', () =>
      store.threads.settle(thread.id, thread.fence, { status: 'paused', reason: 'user' }),
    );
    now = 1_000_000;
    expect(ran()).toBe(100);
    store.write('full', () => store.threads.requeue(thread.id, { retry: false }));
    const again = claim(store)!;
    const step = { thread: thread.id, fence: again.fence, role: 'worker', agent: 'run' };
    store.write('normal', () => store.steps.start({ ...step, seq: 2, attempt: 1, startedAt: now }));
    const problem = { code: 'agent-failed', message: 'it fell' } as const;
    store.write('normal', () =>
      store.steps.fail({
        ...step,
        seq: 2,
        attempt: 1,
        status: 'failed',
        problem,
        endedAt: now + 7,
      }),
    );
    now += 500;
    store.write('normal', () => store.steps.start({ ...step, seq: 2, attempt: 2, startedAt: now }));
    now += 20;
    expect(ran()).toBe(127);
    // A clock that was set back takes nothing away.
    now = 0;
    expect(ran()).toBe(107);
    // What a fork has from its source is the source's.
    expect(ran({ ...again, forkedSeq: 1 })).toBe(7);
  });
});
