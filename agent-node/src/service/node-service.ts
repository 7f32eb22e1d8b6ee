import { Problem } from '@uncaged/protocol/problem';
import {
  type ApiLimits,
  type Authorize,
  createNodeApi,
  type Log,
  type NodeApi,
  type NodeIdentity,
} from '../api/index.js';
import { readLimits, type WorkerProgram, workerFile } from '../executor/index.js';
import { openStore, type Store } from '../store/index.js';
import { startHousekeeping } from './housekeeping.js';
import { API_BUSY_TIMEOUT_MS, readServiceLimits, type ServiceLimits } from './limits.js';

export type NodeServiceInput = NodeIdentity & {
  /** Storage root; it is made when it is missing. */
  root: string;
  /** That of the workers it starts; `UWF_LIMITS` in it changes the executor's limits. */
  env: NodeJS.ProcessEnv;
  /** ms since epoch */
  clock: () => number;
  log: Log;
  /** Who asks, for every request to `api.app`. */
  authorize: Authorize;
  /** What differs from `serviceLimits` and `apiLimits`. */
  limits?: Partial<ServiceLimits>;
  apiLimits?: Partial<ApiLimits>;
  /** The worker's program, where it is not the built one beside this. */
  program?: WorkerProgram;
};

/** One machine's node while it serves: its API, and the house kept behind it. */
export type NodeService = {
  api: NodeApi;
  store: Store;
  /** Resolves when the service cannot go on by itself (the store was removed or replaced); it is to be closed then. */
  ended: Promise<Problem>;
  /** Running and queued threads: they go on without this process. */
  detachedThreads: () => number;
  /** Ends streams, timers and the store, within about a second. Threads go on in their workers. May be called twice. */
  close: () => Promise<void>;
};

/** Opens the store of a node, its API, and keeps house. Throws what `openStore` throws. */
export async function openNodeService(input: NodeServiceInput): Promise<NodeService> {
  const { root, env, clock, log, authorize, name, labels, allow } = input;
  const limits = { ...readServiceLimits(env), ...input.limits };
  const store = await openStore(root, { clock, busyTimeoutMs: API_BUSY_TIMEOUT_MS });
  try {
    const ending = createEnding(store);
    const executor = {
      limits: readLimits(env),
      program: input.program ?? { file: workerFile, env },
    };
    const created = await createNodeApi({
      store,
      clock,
      executor,
      node: { name, labels, allow },
      // Asked before anything else is: what is written to a store that is gone nobody will read.
      authorize: (request) => {
        ending.check();
        return authorize(request);
      },
      log,
      ...(input.apiLimits === undefined ? {} : { limits: input.apiLimits }),
    });
    const api = { ...created, close: once(created.close) };
    const house = startHousekeeping({
      control: { store, clock, ...executor },
      limits,
      log,
      isInPlace: ending.isInPlace,
    });
    const watch = setInterval(ending.isInPlace, limits.placeEveryMs);
    let closing: Promise<void> | null = null;
    const close = async (): Promise<void> => {
      clearInterval(watch);
      api.close();
      await house.stop();
      store.close();
    };
    return {
      api,
      store,
      ended: ending.ended,
      detachedThreads: () => {
        const { running, queued } = store.threads.countByStatus();
        return running + queued;
      },
      close: () => {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

type Ending = {
  ended: Promise<Problem>;
  isInPlace: () => boolean;
  /** Throws store-unavailable when the store is not in its place. */
  check: () => void;
};

/** Once the store was seen out of its place it stays so: what comes to its place later is another one. */
function createEnding(store: Store): Ending {
  let problem: Problem | null = null;
  let tell: (problem: Problem) => void;
  const ended = new Promise<Problem>((resolve) => {
    tell = resolve;
  });
  const look = (): Problem | null => {
    if (problem !== null) return problem;
    problem = missing(store);
    if (problem !== null) tell(problem);
    return problem;
  };
  return {
    ended,
    isInPlace: () => look() === null,
    check: () => {
      const found = look();
      if (found !== null) throw found;
    },
  };
}

function missing(store: Store): Problem | null {
  let cause: unknown;
  try {
    if (store.isInPlace()) return null;
  } catch (error) {
    cause = error;
  }
  const what = cause === undefined ? 'was removed or replaced' : 'can no longer be looked at';
  return new Problem(
    'store-unavailable',
    `The store of ${store.root} ${what} while it was being served. Start again to serve what is there now.`,
    { cause },
  );
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
