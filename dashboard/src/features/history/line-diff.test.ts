import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineDiff } from './line-diff.js';

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`);

it('says which lines only one has', () => {
  expect(lineDiff('a\nb\nc', 'a\nB\nc\n')).toEqual([
    { kind: 'same', lines: ['a'] },
    { kind: 'a', lines: ['b'] },
    { kind: 'b', lines: ['B'] },
    { kind: 'same', lines: ['c'] },
  ]);
});

it('leaves out what is the same far from any difference', () => {
  const blocks = lineDiff(numbered(100).join('\n'), [...numbered(100), 'new'].join('\n'));
  expect(blocks).toEqual([
    { kind: 'skipped', count: 97 },
    { kind: 'same', lines: ['line 97', 'line 98', 'line 99'] },
    { kind: 'b', lines: ['new'] },
  ]);
});

it('has every line of both, whatever they are', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', '', '  x'), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const blocks = lineDiff(a.join('\n'), b.join('\n')) ?? [];
      const count = (kind: string) =>
        blocks.reduce(
          (sum, block) =>
            sum +
            (block.kind === 'skipped'
              ? block.count
              : block.kind === kind || block.kind === 'same'
                ? block.lines.length
                : 0),
          0,
        );
      const lines = (all: string[]) => {
        const joined = all.join('\n');
        return joined === '' ? 0 : joined.replace(/\n$/, '').split('\n').length;
      };
      // An empty text has no line, and no difference to another one is a block of one empty line.
      if (a.join('\n') === '' || b.join('\n') === '') return;
      expect([count('a'), count('b')]).toEqual([lines(a), lines(b)]);
    }),
  );
});
