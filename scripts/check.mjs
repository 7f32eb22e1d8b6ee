// `npm run check`: what must hold beside the tests. Runs every check, shows the output of those that fail.
import { ensureInstalled } from './install.mjs';
import { runNode } from './run.mjs';

const CHECKS = [
  { name: 'types', what: 'tsc -b', file: 'node_modules/typescript/bin/tsc', args: ['-b'] },
  {
    name: 'lint',
    what: 'biome ci',
    file: 'node_modules/@biomejs/biome/bin/biome',
    args: ['ci', '--error-on-warnings', '--colors=off', '--max-diagnostics=40', '.'],
  },
  {
    name: 'imports',
    what: 'dependency-cruiser: directions, doors, cycles',
    file: 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
    args: [
      '--config',
      '.dependency-cruiser.mjs',
      'protocol',
      'agent-node',
      'gateway',
      'dashboard',
      'tests',
      'bench',
    ],
  },
  {
    name: 'unused',
    what: 'knip: files, exports, dependencies',
    file: 'node_modules/knip/bin/knip.js',
    args: ['--no-progress'],
  },
  {
    name: 'log tags',
    what: 'unique and well-formed',
    file: 'scripts/check-log-tags.mjs',
    args: [],
  },
  {
    name: 'file length',
    what: 'at most 500 lines',
    file: 'scripts/check-file-length.mjs',
    args: [],
  },
  {
    name: 'lock file',
    what: 'no download addresses',
    file: 'scripts/check-lock-file.mjs',
    args: [],
  },
];

await ensureInstalled();
const failed = [];
for (const { name, what, file, args } of CHECKS) {
  const started = Date.now();
  const { ok, output } = await runNode(file, args, { output: 'keep' });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(12)} ${what} (${seconds} s)`);
  if (ok) continue;
  failed.push(name);
  console.log(`${output.trimEnd()}\n`);
}
console.log(
  failed.length === 0
    ? `All ${CHECKS.length} checks hold.`
    : `Checks that do not hold: ${failed.join(', ')}.`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
