import { join } from 'node:path';
import { createThreadId } from '@uncaged/protocol/ids';
import { createNodeApi } from '../agent-node/src/api/index.js';
import { readLimits } from '../agent-node/src/executor/index.js';
import type { Store } from '../agent-node/src/store/index.js';
import type { Bench, Measured } from './measure.js';
import { openBenchStore } from './noop-threads.js';
import { startFleet } from './programs.js';

const MANY = 100_000;
const FEW = 100;
const NODES = 5;
const PER_TRANSACTION = 2_000;
const ASKED = 200;
const WARM_UP = 20;
const ALLOW = ['read', 'run', 'control', 'publish'] as const;
const PAGE_ROWS = 50;
const PAGE = `/api/threads?limit=${PAGE_ROWS}`;
const US_PER_MS = 1_000;

const place = (folder: string, threads: number, node: number) => join(folder, `${threads}-${node}`);

/** Threads that are over. */
function fill(store: Store, threads: number): void {
  const start = store.write('normal', () =>
    store.nodes.put('start', {
      ...{ workflow: 'bench', definition: null, bundle: null, inputs: null, depth: 0 },
      ...{ prompt: store.nodes.putText('do it'), parentState: null, workspace: null },
    }),
  );
  for (let from = 0; from < threads; from += PER_TRANSACTION) {
    store.write('normal', () => {
      for (let n = from; n < Math.min(threads, from + PER_TRANSACTION); n += 1)
        addFinished(store, start, n);
    });
  }
}

function addFinished(store: Store, start: string, n: number): void {
  const at = 1_700_000_000_000 + n;
  const id = createThreadId(at);
  store.threads.create({
    ...{ id, workflow: `w${n % 20}`, version: start, kind: 'definition', worker: 'definitions' },
    options: { agents: {}, maxSteps: null, maxVisits: null, budget: null, stopAt: null },
    ...{ start, prompt200: 'do it '.repeat(30), workspace: '/srv', depth: 0, parent: null },
    ...{ parentSeq: null, forkedFrom: null, forkedSeq: null, imported: false, createdAt: at },
  });
  const end = { summary: '', ownSummary: null, startedAt: at, timestamp: at + 1 };
  store.threads.cancelIdle(id, { ...end, returnCode: 130 });
}

/** The first page of one node, by its API in this process. */
async function openNode(
  folder: string,
): Promise<{ first: () => Promise<number>; end: () => void }> {
  const store = await openBenchStore(folder);
  const api = await createNodeApi({
    store,
    clock: Date.now,
    executor: { limits: readLimits({}), program: { file: '/nonexistent', env: process.env } },
    node: { name: 'bench', labels: {}, allow: ALLOW },
    authorize: () => ({ role: 'operator', name: 'bench', allow: ALLOW }),
    log: () => undefined,
  });
  return {
    first: async () => {
      const response = await api.app.request(PAGE);
      const { items } = (await response.json()) as { items: unknown[] };
      return items.length;
    },
    end: () => {
      api.close();
      store.close();
    },
  };
}

async function firstPage(folder: string, threads: number): Promise<Measured> {
  const node = await openNode(place(folder, threads, 0));
  try {
    return await askAgain(node.first);
  } finally {
    node.end();
  }
}

/** The first page of all nodes together, by a gateway and nodes that are processes. */
async function mergedPage(folder: string, threads: number): Promise<Measured> {
  const names = Array.from({ length: NODES }, (_, node) => `node-${node}`);
  const storages = names.map((name, node) => [name, place(folder, threads, node)] as const);
  const fleet = await startFleet(join(folder, 'gateway'), Object.fromEntries(storages));
  try {
    return await askAgain(async () => {
      const response = await fetch(`http://127.0.0.1:${fleet.port}${PAGE}`, {
        headers: fleet.headers,
      });
      const page = (await response.json()) as { items: unknown[]; unreachable: unknown[] };
      if (page.unreachable.length > 0) throw new Error('a node did not answer');
      return page.items.length;
    });
  } finally {
    await fleet.end();
  }
}

/** How long it takes, µs, one after the other. */
async function askAgain(first: () => Promise<number>): Promise<Measured> {
  const samples: number[] = [];
  for (let n = 0; n < WARM_UP + ASKED; n += 1) {
    const started = performance.now();
    const count = await first();
    if (n >= WARM_UP) samples.push((performance.now() - started) * US_PER_MS);
    if (count !== PAGE_ROWS) throw new Error('not a whole page');
  }
  return { samples };
}

async function prepare(folder: string, nodes: number): Promise<void> {
  for (const threads of [FEW, MANY]) {
    for (let node = 0; node < nodes; node += 1) {
      const store = await openBenchStore(place(folder, threads, node));
      fill(store, threads);
      store.close();
    }
  }
}

export const benches: Bench[] = [
  {
    id: 'P9',
    what: 'first page of threads of a node with 100,000',
    unit: 'µs',
    target: { atMost: 3 },
    baseline: { what: 'of a node with 100', run: (folder) => firstPage(folder, FEW) },
    prepare: (folder) => prepare(folder, 1),
    subject: (folder) => firstPage(folder, MANY),
    notMeasured: 'the network; filters that few threads match',
  },
  {
    id: 'P9-merged',
    what: `first page of ${NODES} nodes with 100,000 each together, through a gateway`,
    unit: 'µs',
    target: { atMost: 3 },
    baseline: { what: `of ${NODES} nodes with 100`, run: (folder) => mergedPage(folder, FEW) },
    prepare: (folder) => prepare(folder, NODES),
    subject: (folder) => mergedPage(folder, MANY),
    notMeasured: 'a network; filters that few threads match',
  },
];
