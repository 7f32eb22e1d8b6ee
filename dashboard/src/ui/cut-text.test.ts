import { expect, it } from 'vitest';
import { cutText } from './cut-text.js';

const room = { characters: 10, lines: 2 };

it('leaves a text that has room as it is', () => {
  expect(cutText('', room)).toBe('');
  expect(cutText('a\nb', room)).toBe('a\nb');
  expect(cutText('a\nb\n', room)).toBe('a\nb\n');
});

it('cuts after so many lines, and after so many characters', () => {
  expect(cutText('a\nb\nc', room)).toBe('a\nb');
  expect(cutText('0123456789abc', room)).toBe('0123456789');
});

it('does not cut a character in two', () => {
  expect(cutText('012345678😀', room)).toBe('012345678');
});
