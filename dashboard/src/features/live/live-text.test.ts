import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LIVE_TEXT_CHARACTERS } from '../../limits.js';
import type { LiveText } from './live-state.js';
import { addLiveText } from './live-text.js';

const piece = (n: number, text: string, step = 1, kind: 'text' | 'stderr' = 'text') => ({
  node: 'build-1',
  thread: '01M8Q9VTBKK0Q6ZM5087E6DBR1',
  step,
  n,
  kind,
  text,
});
const textOf = (text: LiveText | undefined) => text?.pieces.map((one) => one.text).join('');

it('is the same however often and in whatever overlap the pieces come', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 20 }),
      fc.nat(),
      (texts, at) => {
        const pieces = texts.map((text, index) => piece(index + 1, text));
        const cut = at % pieces.length;
        // A second stream begins again while the first goes on.
        const all = [...pieces.slice(0, cut), ...pieces];
        const result = all.reduce<LiveText | undefined>(addLiveText, undefined);
        expect(textOf(result)).toBe(texts.join(''));
      },
    ),
  );
});

it('begins anew with another step', () => {
  const first = addLiveText(undefined, piece(7, 'one'));
  expect(textOf(addLiveText(first, piece(1, 'two', 2)))).toBe('two');
});

it('keeps what was said apart from what was complained', () => {
  const said = addLiveText(undefined, piece(1, 'a'));
  const both = addLiveText(said, piece(2, 'b', 1, 'stderr'));
  expect(addLiveText(both, piece(3, 'c', 1, 'stderr')).pieces).toEqual([
    { kind: 'text', text: 'a' },
    { kind: 'stderr', text: 'bc' },
  ]);
});

it('keeps the end of a long text and counts what is gone', () => {
  const first = addLiveText(undefined, piece(1, 'x'.repeat(LIVE_TEXT_CHARACTERS)));
  const text = addLiveText(first, piece(2, 'end', 1, 'stderr'));
  expect(textOf(text)).toHaveLength(LIVE_TEXT_CHARACTERS);
  expect(textOf(text)?.endsWith('end')).toBe(true);
  expect(text.dropped).toBe(3);
});
