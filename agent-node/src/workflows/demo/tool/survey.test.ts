import { describe, expect, it } from 'vitest';
import { countLines, parseStatus } from './survey.js';

describe('parseStatus', () => {
  it('counts what is changed, unmerged and untracked, whatever the names', () => {
    const output = [
      '# branch.oid 0123',
      '# branch.head topic',
      '1 .M N... 100644 100644 100644 0 0 a\n1 b',
      'u UU N... 100644 100644 100644 100644 0 0 0 c',
      '? new/',
      '? # branch.head x',
      '',
    ].join('\0');
    expect(parseStatus(output, true)).toEqual({
      noCommits: false,
      branch: 'topic',
      entries: { changed: 1, unmerged: 1, untracked: 2 },
    });
  });

  it('knows a new repository, a detached HEAD and an answer that broke off', () => {
    expect(parseStatus('# branch.oid (initial)\0# branch.head main\0', true).noCommits).toBe(true);
    expect(parseStatus('# branch.oid 1\0# branch.head (detached)\0', true).branch).toBeNull();
    expect(parseStatus('# branch.oid 1\0? a', false).entries).toBeNull();
  });
});

describe('countLines', () => {
  it('counts a last line without its end', () => {
    expect(['', 'a', 'a\n', 'a\nb', '\n\n'].map((text) => countLines(Buffer.from(text)))).toEqual([
      0, 1, 1, 2, 2,
    ]);
  });
});
