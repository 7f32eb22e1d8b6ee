import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
/** Where the page leaves out the folder. */
const FOLDERS = ['tests/faults', 'tests/e2e'];

/** The last cell of a row of the table of promises names its tests. */
const promises = readFileSync(resolve(REPOSITORY, 'docs/durability.md'), 'utf8')
  .split('## How')[0]!
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| after'))
  .map((line) => line.slice(2, -2).split(' | '));

const files = FOLDERS.flatMap((folder) =>
  readdirSync(resolve(REPOSITORY, folder)).map((name) => `${folder}/${name}`),
);

it.each(promises)('what holds after %s is shown by tests that exist', (_what, _holds, shown) => {
  if (shown!.startsWith('by construction')) return;
  const named = [...shown!.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(0);
  for (const name of named) {
    const found = name.includes('/')
      ? readFileSync(resolve(REPOSITORY, name), 'utf8')
      : files.find((file) => file.endsWith(`/${name}`));
    expect(found, name).toBeTruthy();
  }
});
