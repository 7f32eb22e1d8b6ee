import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** What a browser fetches before it shows the first view, bytes after gzip. Graph and Markdown come when they are needed. */
const INITIAL_JS_MAX_BYTES = 250_000;
/** Where `npm run dev -w dashboard` sends what is not a file of the page. */
const GATEWAY = process.env.UWF_DEV_GATEWAY ?? 'http://127.0.0.1:4800';

/**
 * `import { z }` takes in all of zod with its fifty languages, `import * as z` what is used. Written here once, as in the build
 * of the programs, so that no source has to remember.
 */
function onlyUsedPartsOfZod(): Plugin {
  return {
    name: 'only-used-parts-of-zod',
    enforce: 'pre',
    async load(id) {
      if (!/[/\\]protocol[/\\]src[/\\].*\.ts$/.test(id)) return null;
      const text = await readFile(id, 'utf8');
      return text.replace("import { z } from 'zod';", "import * as z from 'zod';");
    },
  };
}

/** Says what the first view costs, and fails the build when it is too much. */
function initialSize(): Plugin {
  return {
    name: 'initial-size',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((part) => part.type === 'chunk');
      const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
      const initial = new Set<string>();
      const queue = chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName);
      for (const name of queue) {
        if (initial.has(name)) continue;
        initial.add(name);
        queue.push(...(byName.get(name)?.imports ?? []));
      }
      const bytes = [...initial].reduce(
        (sum, name) => sum + gzipSync(byName.get(name)?.code ?? '').length,
        0,
      );
      this.info(
        `initial JavaScript: ${(bytes / 1000).toFixed(1)} kB gzip of ${INITIAL_JS_MAX_BYTES / 1000} (${[...initial].join(', ')})`,
      );
      if (bytes > INITIAL_JS_MAX_BYTES)
        this.error(
          `The initial JavaScript has ${bytes} bytes after gzip; see INITIAL_JS_MAX_BYTES.`,
        );
    },
  };
}

/** Names what is loaded when it is needed in index.html, for src/fetch-parts.ts. */
function partsInPage(): Plugin {
  return {
    name: 'parts-in-page',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle = {} }) => {
        const parts = Object.values(bundle)
          .filter(({ fileName }) => /\.(js|css)$/.test(fileName) && !html.includes(fileName))
          .map(({ fileName }) => `/${fileName}`);
        return [
          { tag: 'meta', attrs: { name: 'parts', content: parts.join(' ') }, injectTo: 'head' },
        ];
      },
    },
  };
}

/** Puts a `.gz` beside every file of text; the servers of the page send it to whoever takes gzip, and compress nothing themselves. */
function compressedBeside(): Plugin {
  let out = '';
  return {
    name: 'compressed-beside',
    apply: 'build',
    configResolved(config) {
      out = resolve(config.root, config.build.outDir);
    },
    // After the files of `public` are there too.
    async closeBundle() {
      for (const name of await readdir(out, { recursive: true })) {
        if (!/\.(js|css|svg|html)$/.test(name)) continue;
        const whole = await readFile(join(out, name));
        const small = gzipSync(whole, { level: constants.Z_BEST_COMPRESSION });
        if (small.length < whole.length) await writeFile(join(out, `${name}.gz`), small);
      }
    },
  };
}

export default defineConfig({
  plugins: [
    onlyUsedPartsOfZod(),
    react(),
    tailwindcss(),
    initialSize(),
    partsInPage(),
    compressedBeside(),
  ],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2023',
    sourcemap: false,
    // Inlined files would be `data:` addresses, which the page's policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: 'es', plugins: () => [onlyUsedPartsOfZod()] },
  // The address of the page stays in `Host`: the gateway takes what comes from a page of the same address only.
  server: { proxy: { '/api': { target: GATEWAY, changeOrigin: false } } },
});
