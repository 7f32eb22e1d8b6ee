import { expect, it } from 'vitest';
import { parseTarget } from './target.js';

const ID = '01J00000000000000000000001';

it.each([
  [
    '/api/nodes/build-1/threads?a=%2f&b',
    { type: 'node', name: 'build-1', path: '/api/threads?a=%2f&b' },
  ],
  ['/api/nodes/a/', { type: 'node', name: 'a', path: '/api/' }],
  ['/api/nodes/a//x', { type: 'node', name: 'a', path: '/api//x' }],
  ['/api/nodes/a/nodes/b/x', { type: 'node', name: 'a', path: '/api/nodes/b/x' }],
  [`/api/threads/${ID}`, { type: 'thread', id: ID, path: `/api/threads/${ID}` }],
  [`/api/threads/${ID}?x=/`, { type: 'thread', id: ID, path: `/api/threads/${ID}?x=/` }],
  [
    `/api/threads/${ID}/st%C3%A9ps?cursor=1.0`,
    { type: 'thread', id: ID, path: `/api/threads/${ID}/st%C3%A9ps?cursor=1.0` },
  ],
  ['/api/nodes', { type: 'own' }],
  ['/api/nodes?x=/api/nodes/a/b', { type: 'own' }],
  ['/api/nodes/a', { type: 'own' }],
  ['/api/nodes/a?b=/c', { type: 'own' }],
  ['/api/threads', { type: 'own' }],
  ['/api/threads?cursor=/x', { type: 'own' }],
  ['/api/threadsx/y', { type: 'own' }],
  ['/', { type: 'own' }],
])('%s goes where it should', (target, expected) => {
  expect(parseTarget(target)).toEqual(expected);
});

it.each([
  '/api/nodes/',
  '/api/nodes//x',
  '/api/nodes/A/x',
  '/api/nodes/%61/x',
  '/api/nodes/a.b/x',
  `/api/nodes/${'a'.repeat(300)}/x`,
  '/api/threads/',
  '/api/threads/x',
  `/api/threads/${ID.toLowerCase()}/steps`,
  `/api/threads/${ID}0`,
  `/api/threads/%30${ID.slice(1)}`,
])('%s is refused by its id', (target) => {
  expect(() => parseTarget(target)).toThrow(expect.objectContaining({ code: 'invalid-id' }));
});
