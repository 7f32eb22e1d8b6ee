import { expect, it } from 'vitest';
import { flatTable } from './flat-table.js';

it('is made of a list of small objects, with the columns of all of them', () => {
  expect(
    flatTable([
      { name: 'a', bytes: 1 },
      { name: 'b', kind: null },
    ]),
  ).toEqual(['name', 'bytes', 'kind']);
});

it.each([
  [[]],
  [[{ a: 1 }]],
  [[{ a: 1 }, 'b']],
  [[{ a: 1 }, null]],
  [[{ a: 1 }, {}]],
  [[{ a: 1 }, { a: { b: 1 } }]],
  [[{ a: 1 }, { a: 'two\nlines' }]],
  [
    [
      { a: 1, b: 1, c: 1 },
      { d: 1, e: 1, f: 1 },
    ],
  ],
])('is not made of %j', (items) => {
  expect(flatTable(items)).toBeNull();
});
