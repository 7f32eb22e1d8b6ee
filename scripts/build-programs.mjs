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
import { programsOf, repository } from './paths.mjs';

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
/** A worker that is running may still load parts of the build it started from. */
const KEEP_OLD_PARTS_MS = 24 * 60 * 60 * 1000;
/** Packages in CommonJS ask for Node's modules by `require`, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as uwfCreateRequire } from 'node:module'; const require = uwfCreateRequire(import.meta.url);";

/** Packages with programs. */
export const PROGRAM_PACKAGES = Object.keys(PROGRAMS);

/**
 * Bundles every program.
 *
 * @returns {Promise<{ok: boolean, output: string, files: string[]}>} paths from the repository
 */
export async function bundleAll() {
  try {
    const files = [];
    for (const name of Object.keys(PROGRAMS)) files.push(...(await bundle(name)));
    removeOldParts(new Set(files));
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
 * command starts 40 ms sooner. Written here once, so that no source has to remember; and for the one package that hands all of
 * zod on where a single class is asked for, which would bring the rest back into every program.
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
    onLoad({ filter: /[/\\]@hono[/\\]zod-openapi[/\\]dist[/\\]index\.m?js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source
        .replace('import { z } from "zod";', 'import * as z from "zod";')
        .replace('extendZodWithOpenApi(z);', 'extendZodWithOpenApi({ ZodType: z.ZodType });');
      if (contents.includes('import { z }') || contents.includes('extendZodWithOpenApi(z)'))
        throw new Error(`${path} takes zod in another way than before; see onlyUsedPartsOfZod`);
      return { contents, loader: 'js' };
    });
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
