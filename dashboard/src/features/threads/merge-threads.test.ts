import type { PlacedThread } from '@uncaged/protocol/api';
import { describe, expect, it } from 'vitest';
import { placeOf } from '../live/index.js';
import { sampleThread } from '../live/sample.test-data.js';
import { holdNew } from './hold-new.js';
import { mergeThreads } from './merge-threads.js';
import { NO_FILTERS } from './thread-search.js';

const row = (n: number, change: Partial<PlacedThread> = {}) =>
  sampleThread({ threadId: `01M8Q9VTBKK0Q6ZM5087E6DB${String(n).padStart(2, '0')}`, ...change });
const live = (...rows: PlacedThread[]) => ({
  threads: Object.fromEntries(rows.map((one) => [placeOf(one.node, one.threadId), one])),
  removed: {},
});
const ids = (rows: readonly PlacedThread[]) =>
  rows.map(({ threadId }) => Number(threadId.slice(-2)));

describe('a list of threads', () => {
  it('has new ones on top', () => {
    expect(ids(mergeThreads([row(3), row(1)], live(row(4)), NO_FILTERS, false))).toEqual([4, 3, 1]);
  });

  it('leaves to later pages what belongs there, and has it once there are none', () => {
    const loaded = [row(9), row(5)];
    expect(ids(mergeThreads(loaded, live(row(2)), NO_FILTERS, false))).toEqual([9, 5]);
    expect(ids(mergeThreads(loaded, live(row(2)), NO_FILTERS, true))).toEqual([9, 5, 2]);
    expect(ids(mergeThreads([], live(row(2)), NO_FILTERS, false))).toEqual([]);
  });

  it('shows the later of two readings', () => {
    const older = row(1, { stepCount: 1, updatedAt: '2026-05-03T10:00:00.000Z' });
    const newer = row(1, { stepCount: 2, updatedAt: '2026-05-03T10:00:01.000Z' });
    for (const [loaded, told] of [
      [older, newer],
      [newer, older],
    ] as const)
      expect(mergeThreads([loaded], live(told), NO_FILTERS, true)[0]?.stepCount).toBe(2);
  });

  it('loses a thread that no longer matches, and gains one that does now', () => {
    const filters = { ...NO_FILTERS, status: ['failed' as const] };
    const loaded = [row(3, { status: 'failed' }), row(2, { status: 'failed' })];
    const told = live(row(3, { status: 'queued' }), row(4, { status: 'failed' }));
    expect(ids(mergeThreads(loaded, told, filters, true))).toEqual([4, 2]);
  });

  it('narrows what the stream tells as the node narrows its list', () => {
    const told = live(row(1, { workflow: 'demo' }), row(2, { workflow: 'other', node: 'build-2' }));
    const list = (change: object) =>
      ids(mergeThreads([], told, { ...NO_FILTERS, ...change }, true));
    expect(list({ workflow: 'demo' })).toEqual([1]);
    expect(list({ node: 'build-2' })).toEqual([2]);
    expect(list({ q: 'OTH' })).toEqual([2]);
    expect(list({ q: 'make the' })).toEqual([2, 1]);
    expect(list({ q: 'readme' })).toEqual([]);
  });

  it('has no thread that was removed', () => {
    const removed = {
      threads: {},
      removed: { [placeOf('build-1', row(1).threadId)]: true as const },
    };
    expect(mergeThreads([row(1)], removed, NO_FILTERS, true)).toEqual([]);
  });
});

it('holds new rows back while somebody reads further down', () => {
  const rows = [row(5), row(4), row(3)];
  expect(holdNew(rows, null)).toEqual({ shown: rows, held: 0 });
  expect(holdNew(rows, row(4).threadId)).toEqual({ shown: rows.slice(1), held: 1 });
});
