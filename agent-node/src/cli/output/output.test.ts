import { describe, expect, it } from 'vitest';
import { createColors, wantsColor } from './color.js';
import { jsonText } from './output.js';
import { formatBytes, formatClock, formatDuration, formatTime } from './time.js';

describe('wantsColor', () => {
  it('colours a terminal only, and not when NO_COLOR is defined, even empty', () => {
    expect(wantsColor({ isTTY: true }, {})).toBe(true);
    expect(wantsColor({}, {})).toBe(false);
    expect(wantsColor({ isTTY: true }, { NO_COLOR: '' })).toBe(false);
    expect(wantsColor({ isTTY: true }, { NO_COLOR: '0' })).toBe(false);
    expect(wantsColor({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
  });

  it('shows roles in bold cyan and debug records in dim bright-black', () => {
    expect(createColors(true).role('x')).toBe('\u001b[1;36mx\u001b[0m');
    expect(createColors(true).debug('x')).toBe('\u001b[2;90mx\u001b[0m');
    expect(createColors(false).role('x')).toBe('x');
  });
});

describe('times', () => {
  it('are local, with their zone', () => {
    const at = new Date(2026, 2, 1, 4, 5, 9).getTime();
    expect(formatTime(at)).toMatch(/^2026-03-01 04:05:09 [+-]\d\d:\d\d$/);
    expect(Date.parse(formatTime(at).replace(' ', 'T').replace(' ', ''))).toBe(at);
    expect(formatClock(at)).toBe('04:05:09');
  });

  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [4200, '4.2 s'],
    [59_960, '1 m 00 s'],
    [185_000, '3 m 05 s'],
    [2 * 3_600_000 + 600_000, '2 h 10 m'],
    [76 * 3_600_000, '3 d 4 h'],
  ])('%d ms lasts %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([
    [999, '999 B'],
    [3400, '3.4 kB'],
    [999_960, '1.0 MB'],
    [1.2e9, '1.2 GB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe('jsonText', () => {
  it('means the same and holds nothing a terminal obeys', () => {
    const value = { a: 'x\u009b31m\u202e\u2028\u007f', b: '\u001b[31m' };
    const text = jsonText(value);
    expect(text).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(text)).toEqual(value);
  });
});
