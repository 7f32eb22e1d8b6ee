import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readCookie } from './cookie.js';

it.each([
  ['uwf_4800=x', 'x'],
  ['a=b; uwf_4800=x; c=d', 'x'],
  ['uwf_4801=other; uwf_4800=x', 'x'],
  ['xuwf_4800=other;uwf_4800=x', 'x'],
  ['  uwf_4800 = x ;', 'x'],
  ['uwf_4800="x"', 'x'],
  ['uwf_4800="', '"'],
  ['uwf_4800=a=b', 'a=b'],
  ['uwf_4800=first; uwf_4800=second', 'first'],
  ['uwf_4800=', ''],
  ['uwf_4800', null],
  [';;;=;', null],
  ['UWF_4800=x', null],
  ['', null],
  [undefined, null],
])('reads the cookie out of %j', (header, expected) => {
  expect(readCookie(header, 'uwf_4800')).toBe(expected);
});

it('reads nothing out of a header without its name, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      fc.pre(!header.includes('uwf_4800'));
      expect(readCookie(header, 'uwf_4800')).toBeNull();
    }),
  );
});
