import { expect, it } from 'vitest';
import { decodeFrom, sizeOf } from './steps.js';

it('reads the size of the whole from a range', () => {
  expect(sizeOf('bytes 100-199/200')).toBe(200);
  expect(sizeOf('bytes 100-199/*')).toBeNull();
  expect(sizeOf(null)).toBeNull();
});

it('leaves out a character that was cut at the beginning, and nothing else', () => {
  const bytes = new TextEncoder().encode('ä€😀x');
  const texts = Array.from(bytes, (_, from) => decodeFrom(bytes.subarray(from), from > 0));
  expect(texts).toEqual(['ä€😀x', '€😀x', '€😀x', '😀x', '😀x', '😀x', 'x', 'x', 'x', 'x']);
});
