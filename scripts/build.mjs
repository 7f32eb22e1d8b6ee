import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled } from './install.mjs';
import { programsOf, repository } from './paths.mjs';
import { lastLines, runNode } from './run.mjs';

/** The programs that are run, by the package they belong to, and the file each begins with. */
const PROGRAMS = {
  'agent-node': {
    uwf: 'agent-node/src/cli/main.ts',
    worker: 'agent-node/src/executor/worker-main.ts',
    renewal: 'agent-node/src/executor/renewal-thread.ts',
    'builtins/demo': 'agent-node/src/workflows/demo/tool/main.ts',
  },
  gateway: { 'uwf-gateway': 'gateway/src/cli/main.ts' },
};
const SOURCES = ['protocol', ...Object.keys(PROGRAMS)];
const STAMP = join(repository, 'agent-node', 'dist', '.build.json');
/** A worker that is running may still load parts of the build it started from. */
const KEEP_OLD_PARTS_MS = 24 * 60 * 60 * 1000;
/** Packages in CommonJS ask for Node's modules by `require`, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as uwfCreateRequire } from 'node:module'; const require = uwfCreateRequire(import.meta.url);";

/** Builds types and programs if a source has changed since the last build. Ends the process when it cannot. */
export async function ensureBuilt() {
  const sources = hashOfSources();
  if (isCurrent(sources)) return;
  const started = Date.now();
  console.log('Building.');
  const [types, bundles] = await Promise.all([compile(), bundleAll()]);
  if (!types.ok)
    console.error(`${lastLines(types.output, 40)}\nerror: the types are wrong; see above.`);
  if (!bundles.ok)
    console.error(`${bundles.output}\nerror: the programs could not be bundled; see above.`);
  if (!types.ok || !bundles.ok) process.exit(1);
  writeFileSync(STAMP, JSON.stringify({ sources, files: bundles.files }));
  removeOldParts(new Set(bundles.files));
  console.log(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

function isCurrent(sources) {
  if (!existsSync(STAMP)) return false;
  const stamp = JSON.parse(readFileSync(STAMP, 'utf8'));
  return (
    stamp.sources === sources && stamp.files.every((file) => existsSync(join(repository, file)))
  );
}

function hashOfSources() {
  const hash = createHash('sha256');
  const files = [
    'package-lock.json',
    'tsconfig.base.json',
    'scripts/build.mjs',
    ...SOURCES.flatMap((folder) => [
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

/** Declarations and plain modules of the packages, for whoever imports them. */
function compile() {
  return runNode('node_modules/typescript/bin/tsc', ['-b', ...SOURCES], { output: 'keep' });
}

async function bundleAll() {
  try {
    const files = [];
    for (const name of Object.keys(PROGRAMS)) files.push(...(await bundle(name)));
    return { ok: true, output: '', files };
  } catch (error) {
    const texts = (error.errors ?? [{ text: String(error) }]).map(({ text, location }) =>
      location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text,
    );
    return { ok: false, output: texts.join('\n'), files: [] };
  }
}

/**
 * One file per program of a package plus the parts they share: starting a bundle takes half the time of starting many modules.
 *
 * @returns {Promise<string[]>} paths from the repository
 */
async function bundle(name) {
  const { build } = await import('esbuild');
  const result = await build({
    absWorkingDir: repository,
    entryPoints: Object.entries(PROGRAMS[name]).map(([out, file]) => ({ in: file, out })),
    outdir: programsOf(name),
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    mainFields: ['module', 'main'],
    // With compiled parts, sought by `ws` and not needed, or knowing where its files are.
    external: ['better-sqlite3', 'bufferutil', 'utf-8-validate', '@uncaged/dashboard'],
    // Beside the programs: a part finds the programs from where it is itself.
    chunkNames: 'part-[hash]',
    banner: { js: REQUIRE },
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'silent',
    plugins: [onlyUsedPartsOfZod],
  });
  for (const file of result.outputFiles) replaceFile(file.path, file.contents);
  return result.outputFiles.map((file) => relative(repository, file.path));
}

/**
 * `import { z }` takes in all of zod with its fifty languages, `import * as z` what is used: a quarter of it, and a
 * command starts 40 ms sooner. Written here once, so that no source has to remember.
 */
const onlyUsedPartsOfZod = {
  name: 'only-used-parts-of-zod',
  setup({ onLoad }) {
    onLoad(
      { filter: /[/\\](protocol|agent-node|gateway)[/\\]src[/\\].*\.ts$/ },
      async ({ path }) => ({
        contents: (await readFile(path, 'utf8')).replace(
          "import { z } from 'zod';",
          "import * as z from 'zod';",
        ),
        loader: 'ts',
      }),
    );
  },
};

/** A program that starts during a build finds the old file or the new one, never half of one. */
function replaceFile(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  const temporary = `${path}.${process.pid}.new`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

function removeOldParts(current) {
  for (const folder of Object.keys(PROGRAMS).map(programsOf)) {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (!name.startsWith('part-') || current.has(relative(repository, path))) continue;
      if (Date.now() - statSync(path).mtimeMs > KEEP_OLD_PARTS_MS) unlinkSync(path);
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await ensureInstalled();
  await ensureBuilt();
}
