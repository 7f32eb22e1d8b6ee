import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import { temporaryRoot } from './test-store.js';

export type StoreProcess = {
  child: ChildProcess;
  /** What it has printed, line by line. */
  lines: string[];
  /** Settles when it has printed so many lines; fails when it ends before. */
  printed: (count: number) => Promise<void>;
  ended: Promise<{ code: number | null; stderr: string }>;
};

/**
 * A real process with this module as `store` (an import of everything in index.ts) and `print(line)`, which returns when
 * the line is in the pipe. `script` is the body of an async function; `args` are given as JSON values.
 */
export async function startStoreProcess(
  script: string,
  args: Record<string, unknown>,
): Promise<StoreProcess> {
  const directory = temporaryRoot();
  const bundle = join(directory, 'store.mjs');
  const sqlite = pathToFileURL(createRequire(import.meta.url).resolve('better-sqlite3')).href;
  await build({
    entryPoints: [join(import.meta.dirname, 'index.ts')],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['source'],
    logLevel: 'error',
    plugins: [
      {
        name: 'native',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: sqlite, external: true })),
      },
    ],
  });
  const main = join(directory, 'main.mjs');
  writeFileSync(
    main,
    `import { writeSync } from 'node:fs';
     import * as store from './store.mjs';
     const print = (line) => writeSync(1, line + '\\n');
     const args = ${JSON.stringify(args)};
     ${script}`,
  );
  return watch(spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'pipe'] }));
}

function watch(child: ChildProcess): StoreProcess {
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let stderr = '';
  let code: number | null | undefined;
  const wake = (): void => {
    for (const look of waiting) look();
  };
  child.stderr!.on('data', (chunk) => {
    stderr += String(chunk);
  });
  createInterface({ input: child.stdout! }).on('line', (line) => {
    lines.push(line);
    wake();
  });
  const ended = once(child, 'close').then(([status]) => {
    code = status as number | null;
    wake();
    return { code, stderr };
  });
  const printed = (count: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (lines.length >= count) resolve();
        else if (code !== undefined) reject(new Error(`ended with ${code}: ${stderr}`));
        else return void waiting.add(look);
        waiting.delete(look);
      };
      look();
    });
  return { child, lines, printed, ended };
}
