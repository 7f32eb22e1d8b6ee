import { join } from 'node:path';
import { uwf, withStorage } from './command.js';
import { latencies, percentileOf, requestsPerSecond } from './load.js';
import { type Bench, type Measured, runProgram } from './measure.js';
import { type Place, startDirect, startLinked, startProxied } from './programs.js';

const CONNECTIONS = 32;
const WARM_UP_MS = 1_500;
const DURATION_MS = 3_000;
const RATE = 500;

/** The list of workflows: built-ins only, some 500 bytes. */
const targetOf = ({ port, headers, prefix }: Place) => ({
  port,
  headers,
  path: `${prefix}/workflows`,
});

async function prepare(folder: string): Promise<void> {
  runProgram(uwf('workflow', 'list', '--json'), {
    cwd: folder,
    env: withStorage(join(folder, 'storage')),
  });
}

async function within<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await place.end();
  }
}

async function throughput(place: Place): Promise<Measured> {
  return within(place, async () => {
    await requestsPerSecond(targetOf(place), CONNECTIONS, WARM_UP_MS);
    const samples = [];
    for (let n = 0; n < 3; n++)
      samples.push(await requestsPerSecond(targetOf(place), CONNECTIONS, DURATION_MS / 3));
    return { samples };
  });
}

/** What the way adds to the app's own time, at this percentile, ms. */
async function added(place: Place, folder: string, share: number): Promise<Measured> {
  const through = await within(place, () => measureLatency(place, share));
  const direct = await startDirect(folder);
  const own = await within(direct, () => measureLatency(direct, share));
  return { samples: [through - own], note: `the app itself: ${own.toFixed(2)} ms` };
}

async function measureLatency(place: Place, share: number): Promise<number> {
  const target = targetOf(place);
  await latencies(target, RATE, WARM_UP_MS, CONNECTIONS);
  return percentileOf(await latencies(target, RATE, DURATION_MS, CONNECTIONS), share);
}

const latencyBench = (id: string, share: number, atMost: number): Bench => ({
  id,
  what: `added to a small GET at ${RATE} requests a second, p${share * 100}`,
  unit: 'ms',
  target: { atMost },
  baseline: {
    what: 'a plain reverse proxy',
    run: async (folder) => added(await startProxied(folder), folder, share),
  },
  subject: async (folder) => added(await startLinked(folder), folder, share),
  prepare,
  notMeasured: 'a network between the machines; TLS',
});

export const benches: Bench[] = [
  {
    id: 'P3',
    what: `small GET through gateway and link, ${CONNECTIONS} connections`,
    unit: 'ops/s',
    target: { atLeast: 1.1 },
    baseline: {
      what: 'the same app behind a plain reverse proxy, no tokens',
      run: async (folder) => throughput(await startProxied(folder)),
    },
    subject: async (folder) => throughput(await startLinked(folder)),
    prepare,
    notMeasured: 'a network between the machines; TLS; the first request of a token',
  },
  latencyBench('P4-p50', 0.5, 1.5),
  latencyBench('P4-p99', 0.99, 2),
];
