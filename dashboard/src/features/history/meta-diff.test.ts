import { expect, it } from 'vitest';
import { metaDiff } from './meta-diff.js';

const changed = (a: Record<string, unknown>, b: Record<string, unknown>) =>
  metaDiff(a, b)
    .filter(({ isEqual }) => !isEqual)
    .map(({ name }) => name);

it('names the fields that differ, are new or are gone', () => {
  expect(
    changed({ $status: 'ok', n: 1, gone: null }, { $status: 'failed', n: 1, more: 0 }),
  ).toEqual(['$status', 'gone', 'more']);
});

it('does not mind the order of fields, but that of lists', () => {
  expect(changed({ o: { x: 1, y: [{ z: 2 }] } }, { o: { y: [{ z: 2 }], x: 1 } })).toEqual([]);
  expect(changed({ list: [1, 2] }, { list: [2, 1] })).toEqual(['list']);
  expect(changed({ v: [] }, { v: {} })).toEqual(['v']);
});

it('takes names of any kind for names', () => {
  expect(changed({ constructor: 1 }, {})).toEqual(['constructor']);
});
