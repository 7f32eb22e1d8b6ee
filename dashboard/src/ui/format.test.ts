import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatAgo,
  formatBytes,
  formatCount,
  formatDuration,
  formatTime,
  formatUsd,
  shortId,
} from './format.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [-5, '0 ms'],
    [850, '850 ms'],
    [4_240, '4.2 s'],
    [9_960, '10 s'],
    [59_600, '1 m 00 s'],
    [185_000, '3 m 05 s'],
    [2 * HOUR + 7 * MINUTE, '2 h 07 m'],
    [76 * HOUR, '3 d 4 h'],
  ])('says %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('never says sixty of anything', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 * HOUR }), (ms) => {
        expect(formatDuration(ms)).not.toMatch(/\b60\b/);
      }),
    );
  });
});

describe('formatAgo', () => {
  it.each([
    [-3_000, 'just now'],
    [4_999, 'just now'],
    [40_000, '40 s ago'],
    [5 * MINUTE, '5 m ago'],
    [3 * HOUR, '3 h ago'],
    [150 * HOUR, '6 d ago'],
  ])('says %d ms as %s', (ms, text) => {
    expect(formatAgo(ms)).toBe(text);
  });
});

describe('formatCount', () => {
  it.each([
    [0, '0'],
    [1_234, '1,234'],
    [9_999, '9,999'],
    [12_345, '12.3k'],
    [20_000, '20k'],
    [999_499, '999k'],
    [999_500, '1M'],
    [4_500_000, '4.5M'],
    [1_200_000_000, '1.2G'],
  ])('says %d as %s', (count, text) => {
    expect(formatCount(count)).toBe(text);
  });
});

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [4_096, '4.1 kB'],
    [999_600, '1.0 MB'],
    [15_000_000, '15 MB'],
    [1_100_000_000, '1.1 GB'],
  ])('says %d as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe('formatUsd', () => {
  it.each([
    [0, '$0.00'],
    [0.004, '<$0.01'],
    [1.2, '$1.20'],
    [1_234.5, '$1,235'],
  ])('says %d as %s', (usd, text) => {
    expect(formatUsd(usd)).toBe(text);
  });
});

it('shortens a hash to its beginning and a thread id to its end, where ids of one day differ', () => {
  expect(shortId('MGFXSJACYTSQA')).toBe('MGFXSJA');
  expect(shortId('01M8Q9VTBKK0Q6ZM5087E6DBRZ')).toBe('…E6DBRZ');
});

it('says a time of today by the clock, of another day with it', () => {
  const at = new Date(2026, 4, 3, 14, 3, 22);
  expect(formatTime(at.toISOString(), at.getTime())).toBe('14:03:22');
  expect(formatTime(at.toISOString(), new Date(2026, 4, 4).getTime())).toBe('3 May 14:03');
  expect(formatTime(at.toISOString(), new Date(2027, 4, 4).getTime())).toBe('3 May 2026');
});
