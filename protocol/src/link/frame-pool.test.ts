import { describe, expect, it } from 'vitest';
import { FramePool } from './frame-pool.js';

describe('a pool of frames', () => {
  it('gives out again what came back, if it is of its size and there are not too many', () => {
    const pool = new FramePool(100, 2);
    const [first, second, third] = [pool.take(100), pool.take(100), pool.take(100)];
    for (const frame of [first, second, third, pool.take(99)]) pool.give(frame);
    expect(pool.take(99)).toHaveLength(99);
    expect(pool.take(100)).toBe(second);
    expect(pool.take(100)).toBe(first);
    expect([first, second, third]).not.toContain(pool.take(100));
  });
});
