import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth, truncateToWidth } from './display-width.js';
import { renderTable } from './table.js';

describe('displayWidth', () => {
  it.each([
    ['abc', 3],
    ['漢字', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['❤️', 2],
    ['🇫🇷', 2],
    ['한국', 4],
    ['ｆｕ', 4],
    ['', 0],
  ])('counts the columns of %j', (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });

  it('never passes the width it cuts to', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, columns) => {
        const cut = truncateToWidth(text, columns);
        expect(displayWidth(cut)).toBeLessThanOrEqual(columns);
        if (displayWidth(text) <= columns) expect(cut).toBe(text);
      }),
    );
  });
});

describe('renderTable', () => {
  const columns = [
    { header: 'NAME' },
    { header: 'N', align: 'right' as const },
    { header: 'TEXT', flexible: true },
  ];

  it('aligns by display width', () => {
    const text = renderTable(
      columns,
      [
        ['漢字', 7, 'x'],
        ['ab', 1234, null],
      ],
      { width: null },
    );
    expect(text).toBe('NAME     N  TEXT\n漢字     7  x\nab    1234  -\n');
  });

  it('cuts flexible columns to the width of the terminal, never ids', () => {
    const lines = renderTable(columns, [['an-id-that-stays', 1, 'a long text '.repeat(20)]], {
      width: 40,
    }).split('\n');
    expect(lines[1]).toContain('an-id-that-stays');
    expect(displayWidth(lines[1]!)).toBe(40);
    expect(lines[1]!.endsWith('…')).toBe(true);
  });

  it('makes cells safe and keeps each row on one line', () => {
    const text = renderTable(columns, [['a\nb', 1, '\u001b[31mred\u001b[0m\ttext']], {
      width: null,
    });
    expect(text).toBe('NAME  N  TEXT\na b   1  red text\n');
  });

  it('does not count colours as width', () => {
    const style = (cell: string) => `\u001b[1m${cell}\u001b[0m`;
    const text = renderTable(
      [{ header: 'A', style }, { header: 'B' }],
      [
        ['x', 'y'],
        ['long', 'z'],
      ],
      { width: null },
    );
    expect(text.split('\n').slice(1, 3)).toEqual([
      '\u001b[1mx   \u001b[0m  y',
      '\u001b[1mlong\u001b[0m  z',
    ]);
  });

  it('prints the header of an empty table', () => {
    expect(renderTable(columns, [], { width: 10 })).toBe('NAME  N  TEXT\n');
  });
});
