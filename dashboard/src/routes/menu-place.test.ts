import { expect, it } from 'vitest';
import { menuPlace } from './menu-place.js';

it.each([
  ['/', '/'],
  ['/threads', '/threads'],
  ['/nodes', '/nodes'],
  ['/nodes/build-1', '/nodes'],
  ['/nodes/build-1/workflows/demo', '/nodes'],
  ['/nodes/build-1/threads/01M8Q9VTBKK0Q6ZM5087E6DBR1', '/threads'],
  ['/nodes/threads', '/nodes'],
  ['/nodesy', null],
])('finds the place of the menu for %s', (pathname, place) => {
  expect(menuPlace(pathname)).toBe(place);
});
