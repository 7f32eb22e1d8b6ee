import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventRow, Store } from '../../store/index.js';
import { createTailer } from './tailer.js';

/** A store that counts how often it is asked, and fails when told to. */
function createStubStore() {
  const state = {
    looks: 0,
    version: 1,
    events: [] as EventRow[],
    isBroken: false,
    isClosed: false,
  };
  const store = {
    dataVersion: () => {
      state.looks += 1;
      if (state.isBroken) throw new Error('disk gone');
      return state.version;
    },
    events: {
      lastSeq: () => state.events.length,
      after: ({ seq, limit }: { seq: number; limit: number }) =>
        state.events.slice(seq, seq + limit),
    },
    close: () => {
      state.isClosed = true;
    },
  };
  const write = (count: number) => {
    state.version += 1;
    for (let n = 0; n < count; n++) {
      const seq = state.events.length + 1;
      state.events.push({ seq, thread: null, type: 'workflow.changed', at: 0, data: {} });
    }
  };
  return { state, write, store: store as unknown as Store };
}

const LOOK_MS = 10;
const errors: unknown[] = [];
const open = (store: Store) =>
  createTailer({
    store,
    lookEveryMs: LOOK_MS,
    onLook: () => undefined,
    onError: (error) => errors.push(error),
  });

function follow(tailer: ReturnType<typeof open>) {
  const seen: number[] = [];
  const follower: { seen: number[]; isEnded: boolean; leave: () => void } = {
    seen,
    isEnded: false,
    leave: () => undefined,
  };
  follower.leave = tailer.subscribe({
    changed: (events) => void seen.push(...events.map(({ seq }) => seq)),
    ended: () => {
      follower.isEnded = true;
    },
  });
  return follower;
}

describe('the tailer', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    errors.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('tells everyone each event once, in order, however many there are', () => {
    const { store, write } = createStubStore();
    write(3);
    const tailer = open(store);
    const [first, second] = [follow(tailer), follow(tailer)];
    write(500);
    vi.advanceTimersByTime(LOOK_MS);
    vi.advanceTimersByTime(LOOK_MS);
    const expected = Array.from({ length: 500 }, (_, n) => n + 4);
    expect(first.seen).toEqual(expected);
    expect(second.seen).toEqual(expected);
  });

  it('does not look while nobody follows, and begins anew with the next', () => {
    const { store, state, write } = createStubStore();
    const tailer = open(store);
    follow(tailer).leave();
    const { looks } = state;
    write(2);
    vi.advanceTimersByTime(100 * LOOK_MS);
    expect(state.looks).toBe(looks);
    expect(vi.getTimerCount()).toBe(0);
    const late = follow(tailer);
    write(1);
    vi.advanceTimersByTime(LOOK_MS);
    expect(late.seen).toEqual([3]);
  });

  it('ends all who follow when it cannot read, and when it is closed', () => {
    const { store, state } = createStubStore();
    const tailer = open(store);
    const first = follow(tailer);
    state.isBroken = true;
    vi.advanceTimersByTime(LOOK_MS);
    expect(first.isEnded).toBe(true);
    expect(errors).toHaveLength(1);
    state.isBroken = false;
    const second = follow(tailer);
    tailer.close();
    expect([second.isEnded, state.isClosed, tailer.followers()]).toEqual([true, true, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
