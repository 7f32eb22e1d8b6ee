import { describe, expect, it } from 'vitest';
import { parseLog, summarize } from './history.js';

const DAY = 24 * 3_600;

describe('parseLog', () => {
  it('reads commits and their quoted names', () => {
    expect(parseLog('\x01100 A@x\n\na.txt\n"b\\n.txt"\n\x0150 b@y\n')).toEqual([
      { seconds: 100, author: 'a@x', keys: ['a.txt', 'b\n.txt'] },
      { seconds: 50, author: 'b@y', keys: [] },
    ]);
  });
});

describe('summarize', () => {
  const commit = (day: number, author: string, ...keys: string[]) => ({
    seconds: day * DAY,
    author,
    keys,
  });
  const tracked = new Set(['big', 'small', 'package-lock.json']);
  const lines = (key: string) => (key === 'big' ? 1_000 : 10);

  it('orders hot spots by changes × lines and counts authors', () => {
    const commits = [
      commit(9, 'a', 'small', 'big'),
      commit(8, 'b', 'small', 'big'),
      commit(7, 'a', 'small'),
    ];
    expect(summarize(commits, tracked, lines)).toMatchObject({
      commits: 3,
      authors: 2,
      from: '1970-01-08',
      to: '1970-01-10',
      hot: [
        { name: 'big', changes: 2, lines: 1_000, authors: 2 },
        { name: 'small', changes: 3, lines: 10, authors: 2 },
      ],
    });
  });

  it('leaves out deleted files, lock files, sweeps and what is older than a year before the newest', () => {
    const sweep = Array.from({ length: 300 }, (_, n) => `f${n}`);
    const commits = [
      commit(1_000, 'a', 'package-lock.json', 'gone', 'big'),
      commit(999, 'a', 'package-lock.json', 'gone'),
      commit(998, 'a', ...sweep, 'big'),
      commit(100, 'old', 'big'),
    ];
    const summary = summarize(commits, tracked, lines);
    expect(summary).toMatchObject({ commits: 3, authors: 1, hot: [] });
    expect(summary.leftOut).toEqual(['1 commit touching more than 200 files at once']);
  });

  it('copes with commits that claim impossible times', () => {
    const summary = summarize(
      [commit(1e20, 'a', 'big'), commit(Number.NaN, 'a', 'big')],
      tracked,
      lines,
    );
    expect(summary.commits).toBe(1);
  });
});
