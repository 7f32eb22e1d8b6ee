import { expect, it } from 'vitest';
import type { Identity } from './types.js';
import { createVerifiedCache } from './verified-cache.js';

const of = (name: string): Identity => ({
  role: 'viewer',
  name,
  tokenId: null,
  expiresAt: null,
  by: 'bearer',
});

it('forgets whoever was away for longest when it is full', () => {
  const cache = createVerifiedCache(2);
  cache.set('a', of('a'));
  cache.set('b', of('b'));
  cache.set('b', of('b'));
  expect(cache.get('a')).toEqual(of('a'));
  cache.set('c', of('c'));
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([of('a'), null, of('c')]);
});
