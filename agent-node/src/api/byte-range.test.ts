import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRange } from './byte-range.js';

describe('a range of bytes', () => {
  it.each([
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=2-4', { start: 2, end: 5 }],
    ['bytes=8-', { start: 8, end: 10 }],
    ['bytes=8-99', { start: 8, end: 10 }],
    ['bytes=-3', { start: 7, end: 10 }],
    ['bytes=-99', { start: 0, end: 10 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-4', null],
    ['bytes=-', null],
    ['bytes=0-1,3-4', null],
    ['lines=0-1', null],
    ['nonsense', null],
    [undefined, null],
  ])('%s of ten bytes is %j', (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected);
  });

  it('never reaches outside', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.nat(), fc.nat(), (junk, a, b, size) => {
        for (const header of [`bytes=${a}-${b}`, `bytes=${a}-`, `bytes=-${b}`, `bytes=${junk}`]) {
          const range = parseRange(header, size);
          if (range === null || range === 'unsatisfiable') continue;
          expect(range.start).toBeGreaterThanOrEqual(0);
          expect(range.end).toBeGreaterThan(range.start);
          expect(range.end).toBeLessThanOrEqual(size);
        }
      }),
    );
  });
});
