import { expect, it } from 'vitest';
import { sampleThread } from '../live/sample.test-data.js';
import { sumToday } from './today.js';

it('sums what began since midnight, and nothing from before', () => {
  const midnight = Date.parse('2026-05-03T00:00:00.000Z');
  const usage = { input: 10, cacheRead: 1, cacheWrite: 2, output: 5 };
  const threads = [
    sampleThread({ createdAt: '2026-05-03T00:00:00.000Z', usage, usd: 0.5, status: 'completed' }),
    sampleThread({ createdAt: '2026-05-03T11:00:00.000Z', usage, usd: 0.25, status: 'failed' }),
    sampleThread({ createdAt: '2026-05-02T23:59:59.999Z', usage, usd: 9 }),
  ];
  expect(sumToday(threads, midnight)).toEqual({
    started: 2,
    byStatus: { completed: 1, failed: 1 },
    tokens: 36,
    usd: 0.75,
  });
});
