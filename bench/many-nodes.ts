import { createThreadId, type ThreadId } from '@uncaged/protocol/ids';
import type { Store } from '../agent-node/src/store/index.js';

const AT_ONCE = 10;
const STEPS = 500;
const STEPS_PER_TRANSACTION = 500;
const TEXT_BYTES = 900;
const IDENTITY = { pid: 1, processStart: '1', bootId: 'bench' };
const LIMITS = { node: 1_000_000, workflows: {} };

type Running = { id: ThreadId; fence: number };

/**
 * Threads that ran ten at once, of 500 steps each, until there are so many nodes (a state and a content a step); then one of
 * each ten is removed, so that what it leaves lies scattered among what stays.
 */
export function fillWithThreads(store: Store, nodes: number): void {
  for (let made = 0; made < nodes; made += AT_ONCE * STEPS * 2) {
    const running = Array.from({ length: AT_ONCE }, () => begin(store));
    for (let seq = 1; seq <= STEPS; seq += STEPS_PER_TRANSACTION / AT_ONCE) {
      store.write('normal', () => {
        for (let next = seq; next < seq + STEPS_PER_TRANSACTION / AT_ONCE; next += 1)
          for (const thread of running) step(store, thread, next);
      });
    }
    store.write('normal', () => {
      for (const thread of running)
        store.threads.settle(thread.id, thread.fence, {
          status: 'ended',
          end: { returnCode: 0, summary: thread.id, ownSummary: null, startedAt: 0, timestamp: 1 },
        });
      store.threads.remove(running[0]!.id);
    });
  }
}

function begin(store: Store): Running {
  const id = createThreadId(Date.now());
  return store.write('normal', () => {
    const prompt = store.nodes.putText(`prompt of ${id}`);
    const start = store.nodes.put('start', {
      ...{ workflow: 'bench', definition: null, bundle: null, prompt, inputs: null, depth: 0 },
      ...{ parentState: null, workspace: null },
    });
    store.threads.create({
      ...{
        id,
        workflow: 'bench',
        version: start,
        kind: 'definition',
        worker: 'definitions',
        start,
      },
      options: { agents: {}, maxSteps: null, maxVisits: null, budget: null, stopAt: null },
      ...{ prompt200: '', workspace: '/', depth: 0, parent: null, parentSeq: null },
      ...{ forkedFrom: null, forkedSeq: null, imported: false, createdAt: Date.now() },
    });
    const owner = { workerKey: 'definitions', instance: 'bench', identity: IDENTITY, renewedAt: 0 };
    const claimed = store.threads.claimNext(owner, LIMITS);
    if (claimed?.id !== id) throw new Error('another thread was claimed');
    return { id, fence: claimed.fence };
  });
}

function step(store: Store, { id, fence }: Running, seq: number): void {
  const attempt = { thread: id, seq, attempt: 1, fence };
  store.steps.start({ ...attempt, role: 'worker', agent: 'run', startedAt: seq });
  store.steps.commit({
    ...attempt,
    state: {
      ...{ role: 'worker', content: store.nodes.putText(`${id} ${seq} `.padEnd(TEXT_BYTES, 'z')) },
      ...{ meta: { $status: 'ok' }, compact: null, childThread: null, agent: 'run' },
      ...{ session: null, usage: null, startedAt: seq, timestamp: seq + 1 },
    },
    ...{ casRefs: [], usage: null, usd: 0 },
  });
}
