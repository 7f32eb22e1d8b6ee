import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from './display-width.js';
import { wrapToWidth } from './wrap.js';

describe('wrapToWidth', () => {
  it.each([
    ['breaks between words', 'one two three', 8, ['one two', 'three']],
    ['leaves what fits', 'one two', 7, ['one two']],
    ['cuts a word that is longer than a line', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['counts wide characters twice', '漢字漢字', 4, ['漢字', '漢字']],
    ['keeps an empty line', '', 10, ['']],
  ])('%s', (_, text, columns, expected) => {
    expect(wrapToWidth(text, columns)).toEqual(expected);
  });

  it('breaks where it is told to', () => {
    expect(wrapToWidth('{"a":1,"b":2,"c":3}', 14, ',')).toEqual(['{"a":1,"b":2,', '"c":3}']);
  });

  it('loses nothing but spaces, and no line is too long', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 80 }).map((text) => text.replace(/\p{C}/gu, '')),
        fc.integer({ min: 2, max: 30 }),
        (text, columns) => {
          const lines = wrapToWidth(text, columns);
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
          expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        },
      ),
    );
  });
});
