import { expect, it } from 'vitest';
import { isBelowRoots } from './workspace-roots.js';

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
