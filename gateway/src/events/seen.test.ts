import type { LinkClock } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import { expect, it } from 'vitest';
import type { NodeLink } from '../links/index.js';
import { createFakeDirectory, createFakeLinks, TEST_LIMITS } from './fake-gateway.test-data.js';
import { nodeJson } from './fake-node.test-data.js';
import { createSeenLook } from './seen.js';

it('asks a node that cannot answer less and less often, and one that can as often as ever', async () => {
  let now = 0;
  let isWell = false;
  let next: { ms: number; task: () => void } | null = null;
  const clock: LinkClock = {
    now: () => now,
    soon: (task) => void setImmediate(task),
    after: (ms, task) => {
      if (ms !== TEST_LIMITS.fanOutMs) next = { ms, task };
      return () => {};
    },
  };
  const answers: Record<string, unknown> = {
    '/api/node': nodeJson('a'),
    '/api/threads?limit=50': { items: [], nextCursor: null },
  };
  const request = async ({ path }: { path: string }) => {
    if (!isWell) throw new Problem('node-failed', 'It cannot.');
    const bytes = Buffer.from(JSON.stringify(answers[path]));
    return { status: 200, headers: [], body: [bytes] };
  };
  const link = { name: 'a', mux: { request } } as unknown as NodeLink;
  const { directory, seen } = createFakeDirectory(createFakeLinks().links);
  const log = () => undefined;
  const look = createSeenLook({ link, directory, clock, limits: TEST_LIMITS, log });
  const waits = async (count: number) => {
    const all: number[] = [];
    while (all.length < count && next !== null) {
      const { ms, task } = next;
      next = null;
      all.push(ms);
      now += ms;
      task();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return all;
  };
  look.changed();
  expect(await waits(6)).toEqual([0, 40, 80, 100, 100, 100]);
  isWell = true;
  expect(await waits(1)).toEqual([100]);
  expect(seen.has('a')).toBe(true);
  expect(next).toBeNull();
  look.changed();
  expect(await waits(1)).toEqual([20]);
});
