import { describe, expect, it } from 'vitest';
import { parseDiffCheck } from './whitespace.js';

describe('parseDiffCheck', () => {
  it('reads names, lines and faults and is not misled by quoted lines', () => {
    const output = [
      'a:b.txt:3: trailing whitespace.',
      '+fake.txt:9: trailing whitespace. ',
      '"n\\nl\\377.txt":12: space before tab in indent.',
      '+ \tx',
      'end.txt:4: new blank line at EOF.',
      'm.txt:5: leftover conflict marker',
      'n.txt:1: trailing whitespace.',
      '+x ',
    ].join('\n');
    expect(parseDiffCheck(output)).toEqual([
      { key: 'a:b.txt', line: 3, what: 'trailing whitespace' },
      { key: 'n\nl\xff.txt', line: 12, what: 'space before tab in indent' },
      { key: 'end.txt', line: 4, what: 'new blank line at EOF' },
      { key: 'm.txt', line: 5, what: 'leftover conflict marker' },
      { key: 'n.txt', line: 1, what: 'trailing whitespace' },
    ]);
  });
});
