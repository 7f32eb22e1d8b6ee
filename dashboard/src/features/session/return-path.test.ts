import { expect, it } from 'vitest';
import { safeReturnPath } from './return-path.js';

it('goes back to a view of this page', () => {
  expect(safeReturnPath('/threads?status=failed#x')).toBe('/threads?status=failed#x');
});

it.each([
  '//evil.example',
  '/\\evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  '/login?return=/login',
  '',
  null,
  7,
])('goes home instead of to %j', (path) => {
  expect(safeReturnPath(path)).toBe('/');
});
