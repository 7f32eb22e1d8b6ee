import type { ThreadId } from '@uncaged/protocol/ids';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import { driveThread } from '../engine/index.js';
import type { Validator } from '../extract/index.js';
import { loadVersion } from '../registry/index.js';
import type { Settlement, Store, ThreadRow } from '../store/index.js';
import { createEngineHost } from './engine-host.js';
import type { ExecutorLimits } from './limits.js';
import { openThreadLog, type ThreadLog } from './thread-log.js';

/** One thread that this worker owns. */
export type ThreadRun = {
  /** Reads the thread's row and obeys: kill, pause, or a lease that somebody else holds. */
  observe: () => void;
  /** The worker is told to go: ends the agents without ending the thread. */
  abandon: () => void;
  /** Resolves when the thread is settled, or was lost. */
  done: Promise<void>;
};

type Input = {
  store: Store;
  thread: ThreadRow;
  limits: ExecutorLimits;
  env: NodeJS.ProcessEnv;
  validator: Validator;
};

export function startThreadRun(input: Input): ThreadRun {
  const { store, thread } = input;
  const controller = new AbortController();
  let pause = false;
  const observe = () => {
    if (controller.signal.aborted) return;
    const row = store.threads.get(thread.id);
    const lease = store.leases.get(thread.id);
    pause = row?.desired === 'pause';
    if (row === null || lease === null || lease.fence !== thread.fence)
      controller.abort(new Problem('lease-lost', `thread ${thread.id} has another owner by now`));
    else if (row.desired === 'kill')
      controller.abort(new Problem('cancelled', `thread ${thread.id} was killed`));
  };
  observe();
  return {
    observe,
    abandon: () => controller.abort(new Problem('lease-lost', 'the worker was told to stop')),
    done: run(input, { signal: controller.signal, pauseRequested: () => pause }),
  };
}

async function run(input: Input, control: Parameters<typeof driveThread>[3]): Promise<void> {
  const { store, thread } = input;
  const log = openThreadLog(store.root, thread.version, thread.id, Date.now);
  try {
    const settlement = await drive(input, control, log);
    if (settlement !== null) await store.enqueue('full', () => settle(store, thread, settlement));
  } catch (error) {
    // Nothing more can be written for this thread: it stays as it is and is interrupted once this worker is gone.
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(
      `${new Date().toISOString()} thread ${thread.id} could not be settled: ${text}\n`,
    );
  } finally {
    log.close();
  }
}

/**
 * A pause that was taken back between the last look at it and now leaves the thread in the queue; not so one at the step
 * where the thread was to stop from the beginning.
 */
function settle(store: Store, { id, fence, options }: ThreadRow, settlement: Settlement): void {
  store.threads.settle(id, fence, settlement);
  if (settlement.status !== 'paused' || settlement.reason !== 'user') return;
  const row = store.threads.get(id);
  const { stopAt } = options;
  const isThere = stopAt !== null && row !== null && row.steps >= stopAt;
  if (row?.desired === 'run' && !isThere)
    store.threads.requeue(id, { retry: false, raise: { stopAt } });
}

async function drive(
  input: Input,
  control: Parameters<typeof driveThread>[3],
  log: ThreadLog,
): Promise<Settlement | null> {
  try {
    const workflow = await loadVersion(input.store, {
      ...input.thread,
      name: input.thread.workflow,
    });
    return await driveThread(
      createEngineHost({ ...input, log: log.write }),
      input.thread,
      workflow,
      control,
    );
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { status: 'failed', problem: { code: error.code, message: error.message } };
  }
}

export type ThreadRuns = Map<ThreadId, ThreadRun>;
