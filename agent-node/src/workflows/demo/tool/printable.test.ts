import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { code, count, quoted, shorten, shownName, size } from './printable.js';
import { unquoteName } from './quoted-name.js';

const isControl = (char: string) => /[\p{Cc}\u202a-\u202e]/u.test(char);
const key = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

describe('names as shown', () => {
  it('never hold a control character, whatever bytes a name is made of', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect([...shownName(Buffer.from(bytes).toString('latin1'))].filter(isControl)).toEqual([]);
      }),
    );
  });

  it('show UTF-8 as it is, line ends and escapes by name, other bytes in hexadecimal', () => {
    expect(shownName(key('é/日本'))).toBe('é/日本');
    expect(shownName(key('a\n\x1b[31m'))).toBe('a\\n\\u{1b}[31m');
    expect(shownName('bad\xff')).toBe('bad\\xff');
  });

  it('keep both ends when they are too long', () => {
    expect(shorten('abcdefghij', 5)).toBe('ab…ij');
    expect([...shorten('x'.repeat(500), 100)]).toHaveLength(100);
  });

  it('stay inside of their code marks', () => {
    expect(code('a`b``c')).toBe('```a`b``c```');
    expect(code('`a')).toBe('`` `a ``');
    expect(quoted('<img src=x>')).toBe('`<img src=x>`');
    expect(quoted("Unexpected token ';'")).toBe("Unexpected token ';'");
  });
});

describe('unquoteName', () => {
  it('reads what git quotes', () => {
    expect(unquoteName('"a\\tb\\"\\\\\\303\\251\\001"')).toBe('a\tb"\\\xc3\xa9\x01');
    expect(unquoteName('plain "x"')).toBe('plain "x"');
  });
});

describe('numbers', () => {
  it('read the same everywhere', () => {
    expect([count(0), count(999), count(1_000), count(1_234_567)]).toEqual([
      '0',
      '999',
      '1,000',
      '1,234,567',
    ]);
    expect([size(12), size(1_536), size(5 * 1024 ** 3)]).toEqual(['12 B', '1.5 kB', '5.0 GB']);
  });
});
