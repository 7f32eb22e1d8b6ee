import { expect, it } from 'vitest';
import { isBelowRoots, mayWorkIn } from './workspace-roots.js';

it('knows what is one of the roots or below', () => {
  for (const root of ['/srv/code', '/srv/code/']) {
    expect(isBelowRoots('/srv/code', [root])).toBe(true);
    expect(isBelowRoots('/srv/code/shop', ['/other', root])).toBe(true);
    expect(isBelowRoots('/srv/code-2', [root])).toBe(false);
    expect(isBelowRoots('/srv', [root])).toBe(false);
  }
  expect(isBelowRoots('/srv/code', ['/'])).toBe(true);
  expect(isBelowRoots('/srv/code', [])).toBe(false);
});

it('knows the directories that a node made for a thread', () => {
  const made = '/home/ada/.uncaged/work/01M8Q9VTBKK0Q6ZM5087E6DBR1';
  expect(mayWorkIn(made, [])).toBe(true);
  expect(mayWorkIn(`${made}/src`, [])).toBe(true);
  expect(mayWorkIn('/home/ada/code/shop', [])).toBe(false);
  expect(mayWorkIn('/home/ada/code/shop', ['/home/ada'])).toBe(true);
});
