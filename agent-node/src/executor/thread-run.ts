import { setTimeout as sleep } from 'node:timers/promises';
import type { ThreadId } from '@uncaged/protocol/ids';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import { driveThread, type ThreadControl } from '../engine/index.js';
import type { Validator } from '../extract/index.js';
import { loadVersion } from '../registry/index.js';
import type { Settlement, Store, ThreadRow } from '../store/index.js';
import { createEngineHost } from './engine-host.js';
import type { ExecutorLimits } from './limits.js';
import { openChild } from './thread-chain.js';
import { openThreadLog, type ThreadLog } from './thread-log.js';
import { createWake } from './wake.js';

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
  ring: () => void;
};

export function startThreadRun(input: Input): ThreadRun {
  const { store, thread } = input;
  const controller = new AbortController();
  const bell = createWake();
  let pause = false;
  let abandoned = false;
  const look = () => {
    if (controller.signal.aborted) return;
    const row = store.threads.get(thread.id);
    const lease = store.leases.get(thread.id);
    pause = row?.desired === 'pause';
    if (row === null || lease === null || lease.fence !== thread.fence)
      controller.abort(new Problem('lease-lost', `thread ${thread.id} has another owner by now`));
    else if (row.desired === 'kill')
      controller.abort(new Problem('cancelled', `thread ${thread.id} was killed`));
  };
  look();
  return {
    observe: () => {
      bell.ring();
      look();
    },
    abandon: () => {
      abandoned = true;
      controller.abort(new Problem('lease-lost', 'the worker was told to stop'));
    },
    done: run(
      input,
      {
        signal: controller.signal,
        pauseRequested: () => {
          look();
          return pause;
        },
        nextChange: bell.next,
      },
      () => abandoned,
    ),
  };
}

async function run(
  input: Input,
  control: ThreadControl,
  isAbandoned: () => boolean,
): Promise<void> {
  const { store, thread } = input;
  const log = openThreadLog(store.root, thread.version, thread.id, Date.now);
  try {
    const settlement = await drive(input, control, log);
    if (settlement !== null) await settleOnceWritable(input, settlement, log, isAbandoned);
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
function settle(store: Store, thread: ThreadRow, settlement: Settlement): void {
  const { id, fence, options } = thread;
  store.threads.settle(id, fence, settlement);
  if (settlement.status !== 'paused') return;
  const row = store.threads.get(id);
  if (row === null || row.desired !== 'run') return;
  const { stopAt } = options;
  const isThere = stopAt !== null && row.steps >= stopAt;
  const isTakenBack = settlement.reason === 'user' ? !isThere : isNestedUnderWay(store, row);
  if (isTakenBack) store.threads.requeue(id, { retry: false, raise: { stopAt } });
}

/** It was to pause with its nested thread, which somebody let go on since. */
function isNestedUnderWay(store: Store, row: ThreadRow): boolean {
  const child = openChild(store, row);
  return child !== null && (child.status === 'queued' || child.status === 'running');
}

/**
 * While the disk is full, or somebody keeps the store busy, the thread stays as it is and is settled once that is over: a
 * worker that gave up would keep it, alive and doing nothing.
 */
async function settleOnceWritable(
  { store, thread, limits }: Input,
  settlement: Settlement,
  log: ThreadLog,
  isAbandoned: () => boolean,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await store.enqueue('full', () => settle(store, thread, settlement));
      return;
    } catch (error) {
      const mayPass = isProblem(error, 'disk-full') || isProblem(error, 'store-busy');
      if (!mayPass || isAbandoned()) throw error;
      if (tries === 1) log.write('9E5XJ2QD', `cannot be settled yet: ${error.message}`);
      await sleep(limits.settleRetryMs);
    }
  }
}

async function drive(
  input: Input,
  control: ThreadControl,
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
