import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { VERSION } from './version.js';

it('is the version that the package says', () => {
  const file = new URL('../../package.json', import.meta.url);
  expect(VERSION).toBe(JSON.parse(readFileSync(file, 'utf8')).version);
});
