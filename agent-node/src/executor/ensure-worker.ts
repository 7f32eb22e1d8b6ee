import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@uncaged/protocol/problem';
import type { Store } from '../store/index.js';
import type { ExecutorLimits } from './limits.js';
import { isOwnerDead } from './owner.js';
import {
  startWorker,
  type WorkerProcess,
  type WorkerProgram,
  workerLog,
} from './worker-process.js';

/** How often a starter looks for its worker's row; a look costs microseconds. */
const LOOK_EVERY_MS = 5;
/** End of the worker's log that a failure quotes, bytes. */
const LOG_QUOTE_BYTES = 2_000;

/**
 * Makes sure that a live worker has the key: insert the thread first, then call this. A second worker of the same key
 * exits by itself. Resolves when one is registered; throws worker-start with the end of its log. `early` is one that was started
 * for this key before; another key's, and one that is not needed, is sent away.
 */
export async function ensureWorker(
  store: Store,
  key: string,
  program: WorkerProgram,
  limits: ExecutorLimits,
  early: WorkerProcess | null = null,
): Promise<void> {
  const isThere = hasLiveWorker(store, key, limits);
  const own = !isThere && early?.key === key ? early : null;
  if (own === null) early?.dismiss();
  if (isThere) return;
  const log = workerLog(store.root, key);
  const worker = own ?? startWorker(store.root, key, program);
  worker.call();
  const deadline = performance.now() + limits.workerStartMs;
  for (;;) {
    if (hasLiveWorker(store, key, limits)) return;
    const ended = worker.ended();
    // A worker that found another one, or whose work was done before we looked, ends with 0.
    if (ended === 0 && !isQueuedFor(store, key)) return;
    if (ended !== null && ended !== 0) throw notStarted(key, `it ended with ${ended}`, log);
    if (performance.now() > deadline)
      throw notStarted(key, `no sign of it in ${limits.workerStartMs} ms`, log);
    await sleep(LOOK_EVERY_MS);
  }
}

export function hasLiveWorker(store: Store, key: string, limits: ExecutorLimits): boolean {
  const row = store.workers.get(key);
  return row !== null && !isOwnerDead(row, limits.deadAfterMs);
}

/** Whether a thread waits for this worker, whatever the limits say. */
export function isQueuedFor(store: Store, key: string): boolean {
  const unlimited = { node: Number.MAX_SAFE_INTEGER, workflows: {} };
  return store.threads.queuedWorkers(unlimited).includes(key);
}

function notStarted(key: string, why: string, log: string): Problem {
  const text = readFileSync(log, 'utf8').slice(-LOG_QUOTE_BYTES).trim();
  const said = text === '' ? '' : `\n${text}`;
  return new Problem(
    'worker-start',
    `the worker for ${key} did not start: ${why}; its log is ${log}${said}`,
  );
}
