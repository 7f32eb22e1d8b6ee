import { expect, it } from 'vitest';
import { threadPageSearch } from './thread-page-search.js';

const OTHER = '01M8Q9VTBKK0Q6ZM5087E6DBR1';

it('reads tab, step and the thread to compare with', () => {
  expect(threadPageSearch({ tab: 'trace', step: 3 })).toEqual({ tab: 'trace', step: 3 });
  expect(threadPageSearch({ tab: 'lineage', with: OTHER })).toEqual({
    tab: 'lineage',
    with: OTHER,
  });
});

it.each([
  [{ tab: 'steps' }],
  [{ tab: '__proto__' }],
  [{ step: 0 }],
  [{ step: 1.5 }],
  [{ step: 'x' }],
  [{ with: OTHER }],
  [{ tab: 'nope', with: '../..' }],
])('leaves out what is not good in %j', (search) => {
  expect(threadPageSearch(search)).toEqual({});
});
