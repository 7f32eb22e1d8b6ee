import type { Store } from '../store/index.js';
import { hasLiveWorker } from './ensure-worker.js';
import type { ExecutorLimits } from './limits.js';
import { DEFINITIONS_WORKER } from './start-thread.js';
import { startWorker, type WorkerProcess, type WorkerProgram } from './worker-process.js';

/**
 * The worker of definitions, which most threads are of: it loads while it is being read what is to be started. Null: there is
 * one already, or none can be started now, which `ensureWorker` will tell when one is needed.
 */
export function startEarly(
  store: Store,
  program: WorkerProgram,
  limits: ExecutorLimits,
): WorkerProcess | null {
  if (hasLiveWorker(store, DEFINITIONS_WORKER, limits)) return null;
  try {
    return startWorker(store.root, DEFINITIONS_WORKER, program);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
