// A lock file with download addresses works only where those addresses are reached; names, versions and hashes work anywhere.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './paths.mjs';

const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'));
const found = Object.entries(packages).filter(([, entry]) =>
  /^[a-z+]+:\/\//.test(entry.resolved ?? ''),
);
for (const [path, { resolved }] of found)
  console.error(`package-lock.json: ${path} is resolved from ${resolved}`);
if (found.length > 0)
  console.error(
    'Run `npm install --package-lock-only` in this repository; its .npmrc leaves the addresses out.',
  );
process.exitCode = found.length === 0 ? 0 : 1;
