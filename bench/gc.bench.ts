import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { fillWithThreads } from './many-nodes.js';
import type { Bench, Measured } from './measure.js';
import { openBenchStore } from './noop-threads.js';
import { start } from './programs.js';

const NODES = 1_000_000;
const MIB = 1024 * 1024;

const full = (folder: string) => join(folder, 'full');

/** Collects in a copy, beside another process that writes all the time and says how long it waited. */
async function collect(folder: string): Promise<Measured> {
  const copy = join(folder, 'copy');
  mkdirSync(copy);
  copyFileSync(join(full(folder), 'store.db'), join(copy, 'store.db'));
  const store = await openBenchStore(copy);
  const writer = await start(
    [fileURLToPath(new URL('waiting-writer.program.mjs', import.meta.url)), copy],
    process.env,
  );
  const heap = process.memoryUsage.rss();
  let peak = heap;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const started = performance.now();
  const work = store.upkeep.collect({ registryRoots: async () => [], graceMs: 0 });
  let step = await work.next();
  while (!step.done) step = await work.next();
  const took = performance.now() - started;
  clearInterval(watch);
  const waits = new Promise<string>((resolve) => {
    let text = '';
    writer.child.stdout!.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    writer.child.once('close', () => resolve(text.trim()));
  });
  writer.child.kill('SIGTERM');
  const { deletedEntries, activeRefs } = step.value;
  const note = `${deletedEntries} of ${deletedEntries + activeRefs} nodes deleted; peak memory ${Math.round(peak / MIB)} MiB; another process's writes waited ${await waits}`;
  store.close();
  rmSync(copy, { recursive: true });
  return { samples: [took], note };
}

async function iterate(folder: string): Promise<Measured> {
  const database = new Database(join(full(folder), 'store.db'), { readonly: true });
  const started = performance.now();
  let bytes = 0;
  for (const row of database.prepare('SELECT id, hash, bytes FROM node').raw().iterate())
    bytes += (row as [number, Buffer, Buffer])[2].length;
  const took = performance.now() - started;
  database.close();
  return { samples: [took], note: `${Math.round(bytes / MIB)} MiB` };
}

export const benches: Bench[] = [
  {
    id: 'P8',
    what: 'gc over 1,000,000 nodes with 10 % garbage, beside a process that writes',
    unit: 'ms',
    target: { atMost: 8 },
    baseline: { what: 'iterating `id, hash, bytes` of all nodes', run: iterate },
    prepare: async (folder) => {
      const store = await openBenchStore(full(folder));
      fillWithThreads(store, NODES);
      store.close();
    },
    subject: collect,
    notMeasured: "a cold disk: the file is in the system's memory",
  },
];
