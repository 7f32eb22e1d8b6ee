#!/usr/bin/env node
// Starts the built command. `npm run build` makes it from src/cli/main.ts.
import { existsSync } from 'node:fs';

const program = new URL('../dist/bin/uwf.js', import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write('error: uwf is not built yet. Run `npm run build` in the repository.\n');
  process.exitCode = 1;
}
