import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Definition } from '@uncaged/protocol/workflow';
import { workerNodeOptions } from '../agent-node/src/executor/index.js';
import type { Bench, Measured } from './measure.js';
import { driveNoop, openBenchStore, pingPong, pingPongRules, timeAppends } from './noop-threads.js';

/** The code is compiled and the WAL is reused by then. */
const WARM_UP_STEPS = 1_500;
const STEPS = 500;
const RECORD_BYTES = 1_200;
const FULL_STORE_NODES = 200_000;
const NODE_BYTES = 1_000;
const BATCH = 1_000;
const THREADS = 50;
const STEPS_OF_EACH = 100;
const LONG_THREAD = 1_010;

const fresh = (folder: string) => mkdtempSync(join(folder, 'store-'));

/** µs per step of one thread alone; the first steps warm the code up. */
async function sequential(root: string): Promise<number[]> {
  const store = await openBenchStore(root);
  await driveNoop(store, pingPong, WARM_UP_STEPS);
  const started = performance.now();
  await driveNoop(store, pingPong, STEPS);
  const perStep = ((performance.now() - started) * 1_000) / STEPS;
  store.close();
  return [perStep];
}

async function appends(folder: string): Promise<Measured> {
  return { samples: timeAppends(join(fresh(folder), 'raw'), RECORD_BYTES, STEPS) };
}

async function fillStore(root: string): Promise<void> {
  const store = await openBenchStore(root);
  for (let from = 0; from < FULL_STORE_NODES; from += BATCH) {
    store.write('normal', () => {
      for (let n = from; n < from + BATCH; n++)
        store.nodes.putText(`${n} `.padEnd(NODE_BYTES, 'y'));
    });
    store.checkpoint();
  }
  store.close();
}

const stepsPerSecond = async (folder: string): Promise<Measured> => {
  const samples = await sequential(fresh(folder));
  return { samples: samples.map((perStep) => 1e6 / perStep) };
};

async function manyThreads(folder: string): Promise<Measured> {
  const store = await openBenchStore(fresh(folder));
  const all = (steps: number) =>
    Promise.all(Array.from({ length: THREADS }, () => driveNoop(store, pingPong, steps)));
  await all(WARM_UP_STEPS / THREADS);
  const started = performance.now();
  await all(STEPS_OF_EACH);
  const seconds = (performance.now() - started) / 1_000;
  store.close();
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  return { samples: [(THREADS * STEPS_OF_EACH) / seconds], note: `peak RSS ${peakMb} MiB` };
}

/** µs between two questions to the agent, around step `at` of a long thread: commit, moderator, prompt. */
async function stepAt(folder: string, definition: Definition, at: number): Promise<Measured> {
  const store = await openBenchStore(fresh(folder));
  await driveNoop(store, definition, WARM_UP_STEPS);
  const asked: number[] = [];
  await driveNoop(store, definition, LONG_THREAD, () => asked.push(performance.now()));
  store.close();
  const around = [-3, -2, -1, 0, 1, 2, 3, 4];
  return {
    samples: around.map((offset) => (asked[at + offset]! - asked[at + offset - 1]!) * 1_000),
  };
}

export const benches: Bench[] = [
  {
    id: 'P1',
    what: 'durable no-op step, engine in process, 500 B, empty store',
    unit: 'µs',
    target: { atMost: 2.5 },
    baseline: { what: 'write + fsync of 1.2 kB', run: appends },
    subject: async (folder) => ({ samples: await sequential(fresh(folder)) }),
    notMeasured: 'starting a process or an agent; a disk whose fsync does not wait',
  },
  {
    id: 'P1-full',
    what: 'the same on 200,000 nodes',
    unit: 'µs',
    target: { atMost: 4 },
    baseline: { what: 'write + fsync of 1.2 kB', run: appends },
    prepare: (folder) => fillStore(join(folder, 'full')),
    subject: async (folder) => ({ samples: await sequential(join(folder, 'full')) }),
    notMeasured: 'the first access after a reboot (cold disk)',
  },
  {
    id: 'P2',
    what: '50 threads at once in one process (group commit)',
    unit: 'steps/s',
    target: { atLeast: 2.5 },
    baseline: { what: 'one thread alone', run: stepsPerSecond },
    subject: manyThreads,
    nodeOptions: workerNodeOptions,
    notMeasured: 'agents; threads of several workers',
  },
  {
    id: 'P10',
    what: 'engine work for step 1,000 of a status-graph thread',
    unit: 'µs',
    target: { atMost: 2 },
    baseline: { what: 'step 10 of the same thread', run: (folder) => stepAt(folder, pingPong, 10) },
    subject: (folder) => stepAt(folder, pingPong, 1_000),
    beside: {
      'JSONata rules, step 1,000': (folder) => stepAt(folder, pingPongRules, 1_000),
      'JSONata rules, step 10': (folder) => stepAt(folder, pingPongRules, 10),
    },
    notMeasured: 'the agent; resuming a thread of 1,000 steps',
  },
];
