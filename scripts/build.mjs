import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleAll, PROGRAM_PACKAGES } from './build-programs.mjs';
import { ensureInstalled } from './install.mjs';
import { repository } from './paths.mjs';
import { lastLines, run, runNode } from './run.mjs';

/** What is built, each anew only when one of its sources has changed. `build` gives the files that must be there. */
const PARTS = [
  {
    name: 'programs',
    stamp: 'agent-node/dist/.build.json',
    packages: ['protocol', ...PROGRAM_PACKAGES],
    others: ['scripts/build.mjs', 'scripts/build-programs.mjs'],
    build: buildPrograms,
  },
  {
    name: 'page',
    stamp: 'dashboard/dist/.build.json',
    packages: ['protocol', 'dashboard'],
    others: [
      'scripts/build.mjs',
      'dashboard/vite.config.ts',
      'dashboard/index.html',
      ...filesBelow('dashboard/public'),
    ],
    build: buildPage,
  },
];

/** Where the page is built, and where the one before waits to be removed. */
const NEW_PAGE = join(repository, 'node_modules', '.cache', 'uncaged-page');
const OLD_PAGE = `${NEW_PAGE}-old`;

/** Builds types, programs and the page if a source has changed since the last build. Ends the process when it cannot. */
export async function ensureBuilt() {
  const wanted = PARTS.map((part) => ({ ...part, sources: hashOfSources(part) }));
  const missing = wanted.filter((part) => !isCurrent(part));
  if (missing.length === 0) return;
  const started = Date.now();
  console.log(`Building: ${missing.map(({ name }) => name).join(', ')}.`);
  const results = await Promise.all(missing.map(({ build }) => build()));
  const problems = results.flatMap(({ problems }) => problems);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
  for (const [at, { stamp, sources }] of missing.entries())
    writeFileSync(join(repository, stamp), JSON.stringify({ sources, files: results[at].files }));
  console.log(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

function isCurrent({ stamp, sources }) {
  const file = join(repository, stamp);
  if (!existsSync(file)) return false;
  const built = JSON.parse(readFileSync(file, 'utf8'));
  return (
    built.sources === sources && built.files.every((path) => existsSync(join(repository, path)))
  );
}

function hashOfSources({ packages, others }) {
  const hash = createHash('sha256');
  const files = [
    'package-lock.json',
    'tsconfig.base.json',
    ...others,
    ...packages.flatMap((folder) => [
      `${folder}/package.json`,
      `${folder}/tsconfig.json`,
      ...filesBelow(`${folder}/src`),
    ]),
  ];
  for (const file of files) {
    hash.update(`${file}\0`);
    hash.update(readFileSync(join(repository, file)));
    hash.update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(folder) {
  return readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(repository, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

/** Declarations and plain modules of the packages, for whoever imports them, and the bundled programs. */
async function buildPrograms() {
  const packages = ['protocol', ...PROGRAM_PACKAGES];
  const tsc = runNode('node_modules/typescript/bin/tsc', ['-b', ...packages], { output: 'keep' });
  const [types, bundles] = await Promise.all([tsc, bundleAll()]);
  const problems = [];
  if (!types.ok)
    problems.push(`${lastLines(types.output, 40)}\nerror: the types are wrong; see above.`);
  if (!bundles.ok)
    problems.push(`${bundles.output}\nerror: the programs could not be bundled; see above.`);
  return { problems, files: bundles.files };
}

/** The dashboard as a browser loads it. */
async function buildPage() {
  const vite = join(repository, 'node_modules', 'vite', 'bin', 'vite.js');
  const options = ['--logLevel', 'warn', '--outDir', NEW_PAGE, '--emptyOutDir'];
  const built = await run(process.execPath, [vite, 'build', ...options], {
    cwd: join(repository, 'dashboard'),
    output: 'keep',
  });
  if (!built.ok)
    return {
      problems: [`${lastLines(built.output, 40)}\nerror: the page could not be built; see above.`],
      files: [],
    };
  // In one move: a gateway that runs finds the old page or the new one.
  const page = join(repository, 'dashboard', 'dist');
  rmSync(OLD_PAGE, { recursive: true, force: true });
  if (existsSync(page)) renameSync(page, OLD_PAGE);
  renameSync(NEW_PAGE, page);
  rmSync(OLD_PAGE, { recursive: true, force: true });
  return {
    problems: [],
    files: filesBelow('dashboard/dist').filter((file) => !file.endsWith('.build.json')),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await ensureInstalled();
  await ensureBuilt();
}
