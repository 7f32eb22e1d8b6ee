import { isProblem } from '@uncaged/protocol/problem';
import type { Log } from '../api/index.js';
import {
  type ControlContext,
  ensureWorker,
  hasLiveWorker,
  recoverDead,
} from '../executor/index.js';
import { CONCURRENCY_DEFAULT, type NodeConfig, readConfig } from '../registry/index.js';
import { createResumer } from './interrupted.js';
import type { ServiceLimits } from './limits.js';
import { keepRetention } from './retention.js';

export type Housekeeping = {
  /** No further look begins; resolves when the last one has ended, or after `closeWaitMs`. */
  stop: () => Promise<void>;
};

type HousekeepingInput = {
  control: ControlContext;
  limits: ServiceLimits;
  log: Log;
  /** Whether the store is still there: a worker must not be started for one that is not. */
  isInPlace: () => boolean;
};

type House = Pick<NodeConfig, 'concurrency' | 'recovery' | 'retention'>;

/**
 * What has to be done on a node though nobody asks for it, at once and then every `houseEveryMs`: threads of dead owners
 * become interrupted and, with `config.recovery: auto`, go on; queued threads that no worker is there for get one. Several
 * processes may do this on one store at once: each change is made by one of them, and of two workers one goes. Beside that,
 * as seldom as it says itself, the store is kept within `config.retention`.
 */
export function startHousekeeping({
  control,
  limits,
  log,
  isInPlace,
}: HousekeepingInput): Housekeeping {
  const { store, clock } = control;
  const readHouse = createHouseReader(store.root, log);
  const complain = createComplaint((text) => log('6TQ1XWHM', text));
  const complainOfRetention = createComplaint((text) => log('C9X4TV6E', text));
  const startWorkers = createWorkerStarter({ control, limits, log, isInPlace });
  const resumeInterrupted = createResumer({
    store,
    interruptedMax: limits.interruptedMax,
    onResumed: ({ id, workflow }) =>
      log('R4YB7K2N', `thread ${id} (${workflow}) was interrupted and goes on`),
    onGivenUp: ({ id, workflow, role }) =>
      log(
        'H8ZM3C5V',
        `thread ${id} (${workflow}) is left alone: its step${role === null ? '' : ` after ${role}`} was interrupted ${limits.interruptedMax} times in a row. See why with \`uwf thread show ${id}\`, then \`uwf thread resume ${id}\`, or end it: \`uwf thread kill ${id}\`.`,
      ),
  });
  let isStopped = false;
  let running: Promise<void> | null = null;
  let retaining: Promise<void> | null = null;
  let retainAt = Number.NEGATIVE_INFINITY;

  /** It may take minutes, and what else there is to do must not wait for it. */
  function retain({ retention }: House): void {
    if (retaining !== null || performance.now() < retainAt) return;
    retainAt = performance.now() + limits.retentionLookMs;
    retaining = keepRetention({ store, clock, limits, log }, retention, () => isStopped)
      .then(() => complainOfRetention(null))
      .catch((error: unknown) => {
        if (!isStopped) complainOfRetention(textOf(error));
      })
      .finally(() => {
        retaining = null;
      });
  }

  async function keep(): Promise<void> {
    try {
      if (!isInPlace()) return;
      await recoverDead(store, clock, control.limits);
      const house = await readHouse();
      if (isStopped || !isInPlace()) return;
      if (house.recovery === 'auto') resumeInterrupted();
      await startWorkers(house);
      retain(house);
      complain(null);
    } catch (error) {
      // Closed under a look that takes longer than closing may: nothing is left to be done with it.
      if (isStopped) return;
      // The next look tries again.
      if (!isProblem(error, 'store-busy')) complain(textOf(error));
    }
  }

  function look(): void {
    running ??= keep().finally(() => {
      running = null;
    });
  }

  look();
  const timer = setInterval(look, limits.houseEveryMs);
  return {
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await atMost(Promise.all([running, retaining]), limits.closeWaitMs);
    },
  };
}

/** Looks for queued threads without a live worker; one key that does not start must not keep the others waiting. */
function createWorkerStarter({
  control,
  limits,
  log,
  isInPlace,
}: HousekeepingInput): (house: House) => Promise<void> {
  const { store, program } = control;
  const notBefore = new Map<string, number>();
  return async ({ concurrency }) => {
    if (store.threads.countByStatus().queued === 0) return;
    const stranded = store.threads
      .queuedWorkers(concurrency)
      .filter((key) => !hasLiveWorker(store, key, control.limits))
      .filter((key) => (notBefore.get(key) ?? 0) <= performance.now());
    if (!isInPlace()) return;
    await Promise.all(
      stranded.map(async (key) => {
        try {
          await ensureWorker(store, key, program, control.limits);
          notBefore.delete(key);
        } catch (error) {
          if (!isProblem(error, 'worker-start')) throw error;
          notBefore.set(key, performance.now() + limits.workerRetryMs);
          log('2VN9D6PE', error.message);
        }
      }),
    );
  };
}

/** While somebody's edit has broken workflow.yaml, what it said before holds; before that nothing is resumed unasked. */
function createHouseReader(root: string, log: Log): () => Promise<House> {
  let last: House = {
    concurrency: CONCURRENCY_DEFAULT,
    recovery: 'manual',
    retention: { age: null, count: null, size: null },
  };
  const complain = createComplaint((text) => log('9KFS4J7A', text));
  return async () => {
    try {
      last = await readConfig(root);
      complain(null);
    } catch (error) {
      if (!isProblem(error, 'invalid-config')) throw error;
      complain(error.message);
    }
    return last;
  };
}

/** Says the same thing once, until it is over. */
function createComplaint(say: (text: string) => void): (text: string | null) => void {
  let said: string | null = null;
  return (text) => {
    if (text !== null && text !== said) say(text);
    said = text;
  };
}

function textOf(error: unknown): string {
  if (isProblem(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, deadline]);
  clearTimeout(timer);
}
