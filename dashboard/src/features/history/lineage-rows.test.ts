import type { Relative } from '@uncaged/protocol/api';
import { expect, it } from 'vitest';
import { lineageRows, relationWords } from './lineage-rows.js';

const relative = (threadId: string, of: string | null): Relative =>
  ({ threadId, of, relation: of === null ? 'root' : 'fork', atSeq: 1 }) as Relative;
const drawn = (...items: Relative[]) =>
  lineageRows(items).map(({ relative: { threadId }, depth }) => `${'-'.repeat(depth)}${threadId}`);

it('has each thread below the one it hangs from, in the order they were made', () => {
  expect(
    drawn(
      relative('a', null),
      relative('b', 'a'),
      relative('c', 'a'),
      relative('d', 'b'),
      relative('e', 'a'),
    ),
  ).toEqual(['a', '-b', '--d', '-c', '-e']);
});

it('shows also what hangs from something that is not there', () => {
  expect(drawn(relative('b', 'gone'), relative('c', 'b'))).toEqual(['b', '-c']);
});

it('is deep without end', () => {
  const items = Array.from({ length: 20_000 }, (_, n) =>
    relative(`t${n}`, n === 0 ? null : `t${n - 1}`),
  );
  expect(lineageRows(items).at(-1)?.depth).toBe(19_999);
});

it('says what a thread is to the one above it', () => {
  expect(relationWords({ relation: 'root', of: null, atSeq: null })).toBe('the first');
  expect(relationWords({ relation: 'fork', of: 'a', atSeq: 3 })).toBe('fork after step 3');
  expect(relationWords({ relation: 'fork', of: 'a', atSeq: 0 })).toBe('fork from the beginning');
  expect(relationWords({ relation: 'child', of: 'a', atSeq: 2 })).toBe('nested: step 2 of it');
  expect(relationWords({ relation: 'fork', of: null, atSeq: 2 })).toMatch(/was removed$/);
});
