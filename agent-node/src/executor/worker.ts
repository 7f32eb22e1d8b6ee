import { isProblem, Problem } from '@uncaged/protocol/problem';
import { createValidator, type Validator } from '../extract/index.js';
import { monotonicMs, processIdentity } from '../process/index.js';
import { CONCURRENCY_DEFAULT, type Concurrency, readConfig } from '../registry/index.js';
import { openStore, type ProcessIdentity, type Store, type WorkerRow } from '../store/index.js';
import { ensureWorker } from './ensure-worker.js';
import { type ExecutorLimits, readLimits } from './limits.js';
import { createInstance, isOwnerDead } from './owner.js';
import { renewalFile, workerFile } from './programs.js';
import { startRenewal } from './renewal.js';
import { startThreadRun, type ThreadRuns } from './thread-run.js';
import { VERSION } from './version.js';
import { createWake, type Wake } from './wake.js';

type Worker = {
  store: Store;
  key: string;
  instance: string;
  identity: ProcessIdentity;
  limits: ExecutorLimits;
  env: NodeJS.ProcessEnv;
  validator: Validator;
  running: ThreadRuns;
  wake: Wake;
  concurrency: () => Promise<Concurrency>;
};

/**
 * One worker process: takes queued threads of its key, runs them side by side, obeys what other processes write into the
 * store, and goes when nothing is left for it. When another live worker has the key it just resolves.
 */
export async function runWorker(root: string, key: string, env: NodeJS.ProcessEnv): Promise<void> {
  const store = await openStore(root, { clock: Date.now });
  try {
    const identity = processIdentity(process.pid);
    if (identity === null)
      throw new Problem('internal', 'this process is missing in the process table');
    const instance = createInstance();
    const limits = readLimits(env);
    const times = { startedAt: Date.now(), renewedAt: monotonicMs() };
    const row = { ...identity, ...times, key, instance, version: VERSION };
    const isDead = (worker: WorkerRow) => isOwnerDead(worker, limits.deadAfterMs);
    if (!store.write('normal', () => store.workers.register(row, isDead))) return;
    await serve({
      store,
      key,
      instance,
      identity,
      limits,
      env,
      validator: createValidator(),
      running: new Map(),
      wake: createWake(),
      concurrency: createConcurrency(root),
    });
  } finally {
    store.close();
  }
}

async function serve(worker: Worker): Promise<void> {
  const { store, key, instance, limits, running, wake } = worker;
  let failure: unknown = null;
  const fail = (error: unknown) => {
    failure ??= error;
    wake.ring();
  };
  const renewal = startRenewal({ root: store.root, instance, limits }, renewalFile, fail);
  const observer = observeStore(store, {
    everyMs: limits.observeEveryMs,
    beat: renewal.beat,
    ring: wake.ring,
    fail,
  });
  let stopping = false;
  process.once('SIGTERM', () => {
    stopping = true;
    wake.ring();
  });
  try {
    while (!stopping) {
      if (failure !== null) throw failure;
      for (const run of running.values()) run.observe();
      await claim(worker);
      if (running.size === 0 && store.write('normal', () => store.workers.retire(key, instance)))
        return;
      await wake.next();
    }
    await leave(worker);
  } catch (error) {
    // Whatever went wrong, what the threads have running must not outlive who could end it.
    await abandonAll(worker);
    throw error;
  } finally {
    clearInterval(observer);
    await renewal.stop();
  }
}

type Observing = {
  everyMs: number;
  beat: () => void;
  ring: () => void;
  fail: (error: unknown) => void;
};

/** Rings when another process has committed something; proves to the renewal thread that this one still turns. */
function observeStore(store: Store, { everyMs, beat, ring, fail }: Observing): NodeJS.Timeout {
  let seen = store.dataVersion();
  return setInterval(() => {
    try {
      beat();
      if (!store.isInPlace())
        throw new Problem(
          'store-unavailable',
          `the store of ${store.root} was removed or replaced while threads were running; they were ended`,
        );
      const version = store.dataVersion();
      if (version !== seen) ring();
      seen = version;
    } catch (error) {
      fail(error);
    }
  }, everyMs);
}

/** Takes what the limits allow, and starts workers for what waits under other keys. */
async function claim(worker: Worker): Promise<void> {
  const { store, key, instance, identity, limits, env, validator, running, wake } = worker;
  if (store.threads.countByStatus().queued === 0) return;
  const concurrency = await worker.concurrency();
  const waiting = store.threads.queuedWorkers(concurrency);
  for (;;) {
    const owner = { workerKey: key, instance, identity, renewedAt: monotonicMs() };
    const thread = waiting.includes(key)
      ? store.write('normal', () => store.threads.claimNext(owner, concurrency))
      : null;
    if (thread === null) break;
    const run = startThreadRun({ store, thread, limits, env, validator, ring: wake.ring });
    running.set(thread.id, run);
    void run.done.then(() => {
      running.delete(thread.id);
      wake.ring();
    });
  }
  for (const other of waiting) {
    if (other !== key) await ensureWorker(store, other, { file: workerFile, env }, limits);
  }
}

/**
 * The limits as workflow.yaml has them now. While somebody's edit has broken the file, the last ones hold: what runs must
 * not fall with it, and a thread that needs more of the file says itself what is wrong with it.
 */
function createConcurrency(root: string): () => Promise<Concurrency> {
  let last: Concurrency = CONCURRENCY_DEFAULT;
  return async () => {
    try {
      last = (await readConfig(root)).concurrency;
    } catch (error) {
      if (!isProblem(error, 'invalid-config')) throw error;
    }
    return last;
  };
}

/** TERM: ends the agents; what they were doing is interrupted and goes on with the next resume. */
async function leave(worker: Worker): Promise<void> {
  const { store, key, instance } = worker;
  await abandonAll(worker);
  store.threads.interruptDead((lease) => lease.owner === instance);
  store.write('normal', () => store.workers.retire(key, instance));
}

async function abandonAll({ running }: Worker): Promise<void> {
  const runs = [...running.values()];
  for (const run of runs) run.abandon();
  await Promise.all(runs.map((run) => run.done));
}
