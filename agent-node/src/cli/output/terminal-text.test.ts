import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderTerminalLine, renderTerminalText } from './terminal-text.js';

const ESC = '\u001b';
const UNSAFE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

describe('renderTerminalText', () => {
  it.each([
    ['colours', `${ESC}[1;31mred${ESC}[0m text`, 'red text'],
    ['a window title', `${ESC}]0;evil\u0007after`, 'after'],
    ['a clipboard write that ends with ST', `a${ESC}]52;c;ZXZpbA==${ESC}\\b`, 'ab'],
    ['a link', `${ESC}]8;;http://x${ESC}\\text${ESC}]8;;${ESC}\\`, 'text'],
    ['device control strings', `${ESC}Pq#0${ESC}\\x${ESC}_y${ESC}\\z`, 'xz'],
    ['8-bit sequences', 'a\u009b31mb\u009d0;t\u009cc\u0085d', 'abcd'],
    ['a screen clear', `${ESC}[2J${ESC}[Hhello`, 'hello'],
    ['character sets and other escapes', `${ESC}(Bx${ESC}=y${ESC}c`, 'xy'],
    ['a bell, a shift out, a delete', 'a\u0007b\u000ec\u007fd', 'abcd'],
    ['an escape at the end', `abc${ESC}`, 'abc'],
    ['a sequence that is cut off', `abc${ESC}[12`, 'abc'],
    ['a string without an end, keeping its text', `abc${ESC}]0;title`, 'abc0;title'],
    ['a byte order mark', '\ufeffx', 'x'],
  ])('drops %s', (_, text, expected) => {
    expect(renderTerminalText(text)).toBe(expected);
  });

  it.each([
    ['a progress bar', '10%\r50%\r100%\nnext', '100%\nnext'],
    ['one that erases the line', `working...\r${ESC}[Kdone`, 'done'],
    ['one that erases it whole', `working...${ESC}[2K\rdone`, 'done'],
    ['a shorter text over a longer one', 'abcdef\rXY', 'XYcdef'],
    ['a spinner', '|\b/\b-\bok', 'ok'],
    ['a cursor that goes to a column', `abcdef${ESC}[3GX${ESC}[2D!`, 'a!Xdef'],
    ['CRLF', 'a\r\nb\r\n', 'a\nb\n'],
  ])('shows the last state of %s', (_, text, expected) => {
    expect(renderTerminalText(text)).toBe(expected);
  });

  it('keeps tabs, line breaks and every script', () => {
    const text = 'a\tb\nüñí 漢字 👩‍👩‍👧 עברית\n';
    expect(renderTerminalText(text)).toBe(text);
  });

  it('writes out what changes the direction of text', () => {
    expect(renderTerminalText('x\u202ecba\u202c\u2066y')).toBe('x\\u202ecba\\u202c\\u2066y');
  });

  it('shows NUL and replaces half characters', () => {
    expect(renderTerminalText('a\0b\ud800')).toBe('a␀b\ufffd');
  });

  it('never lets a control character through, and changes nothing the second time', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ESC,
        '[',
        ']',
        '0',
        ';',
        'm',
        'K',
        'G',
        'D',
        'C',
        '\r',
        '\n',
        '\b',
        '\t',
        '\\',
        '\u0007',
        '\u009b',
        '\u009d',
        '\u009c',
        '\0',
        '\u202e',
        '\ufeff',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const safe = renderTerminalText(pieces.join(''));
        expect(safe).not.toMatch(UNSAFE);
        expect(safe.isWellFormed()).toBe(true);
        expect(renderTerminalText(safe)).toBe(safe);
        expect(safe.split('\n')).toHaveLength(pieces.join('').split('\n').length);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['strings that never end', '\u009d'.repeat(400_000)],
    ['strings that never end, in escapes', `${ESC}]0;`.repeat(200_000)],
    ['lines erased over and over', `${'a'.repeat(100_000)}${`${ESC}[2K${ESC}[1K`.repeat(100_000)}`],
    ['sequences without an end', `${ESC}[1111111111`.repeat(100_000)],
    ['a megabyte of progress', '50% done\r'.repeat(200_000)],
  ])('does not take longer than the text is long for %s', (_, text) => {
    // Quadratic, each of these would run for minutes: past the limit of a test.
    expect(renderTerminalText(text)).not.toMatch(UNSAFE);
  });

  it('keeps text without control characters as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(renderTerminalText(text)).toBe(text);
      }),
    );
  });
});

describe('renderTerminalLine', () => {
  it('makes one line of several', () => {
    expect(renderTerminalLine('  a\n\tb\r\n\nc ')).toBe('a b c');
  });
});
