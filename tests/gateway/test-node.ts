import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Service, startService } from '../support/service.js';
import type { Fleet } from './fleet.js';

/** Beside node_modules, so that compiled parts are found. */
const DIRECTORY = fileURLToPath(new URL('../dist/test-programs/', import.meta.url));
const SOURCE = fileURLToPath(new URL('./test-node.program.ts', import.meta.url));
const REQUIRE =
  "import { createRequire as uwfRequire } from 'node:module'; const require = uwfRequire(import.meta.url);";

/**
 * The program of `test-node.program.ts`, as a file that can be started and is gone with the fleet; `name` is that of the test
 * which needs it.
 */
export async function buildTestNode(name: string, { onEnd }: Fleet): Promise<string> {
  const file = `${DIRECTORY}${name}-${process.pid}.js`;
  onEnd(() => rmSync(file, { force: true }));
  await build({
    entryPoints: [SOURCE],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    external: ['better-sqlite3', 'bufferutil', 'utf-8-validate'],
    banner: { js: REQUIRE },
    logLevel: 'error',
  });
  return file;
}

/** Starts it and waits until the gateway has it; it ends with the fleet. */
export async function startTestNode(
  file: string,
  { gateway, onEnd }: Fleet,
  { name, url = gateway.url, limits = {} }: { name: string; url?: string; limits?: object },
): Promise<Service> {
  const service = startService(file, [url, name], {
    cwd: gateway.dataDir,
    env: {
      PATH: process.env.PATH,
      HOME: gateway.dataDir,
      UWF_NODE_TOKEN: gateway.key,
      UWF_LIMITS: JSON.stringify(limits),
    },
  });
  onEnd(async () => {
    const code = await service.stop();
    if (code !== 0) throw new Error(`${name} ended with ${code}: ${service.output.stderr}`);
  });
  await gateway.untilNode(name);
  return service;
}
