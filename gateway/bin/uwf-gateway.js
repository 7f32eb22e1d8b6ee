#!/usr/bin/env node
import { existsSync } from 'node:fs';

const program = new URL('../dist/bin/uwf-gateway.js', import.meta.url);

if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write(
    'error: uwf-gateway is not built yet. Run `npm start` or `npm run build` in the repository, then try again.\n',
  );
  process.exitCode = 1;
}
