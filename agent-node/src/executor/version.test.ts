import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { VERSION } from './version.js';

it('the version is the one that the package says', () => {
  const file = new URL('../../package.json', import.meta.url);
  expect(JSON.parse(readFileSync(file, 'utf8')).version).toBe(VERSION);
});
