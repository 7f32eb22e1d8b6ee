import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Allow } from '@uncaged/protocol/link';
import { onTestFinished } from 'vitest';
import type { WorkerProgram } from '../executor/index.js';
import { monotonicMs, processIdentity } from '../process/index.js';
import { openStore, type Store } from '../store/index.js';
import type { ServiceLimits } from './limits.js';
import { type NodeService, openNodeService } from './node-service.js';

/** What the tests of the service build on: roots of their own, services on them, workers that died. */

const ALL: readonly Allow[] = ['read', 'control', 'run', 'publish'];
const WORKER = fileURLToPath(new URL('../../dist/bin/worker.js', import.meta.url));
/** Long ago for any limit. */
const LONG_AGO_MS = 1_000_000_000;

export type TestRoot = { root: string; store: Store };

/** A store, opened as another process would. */
export async function makeRoot(): Promise<TestRoot> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'uwf-service-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }));
  const store = await openStore(root, { clock: Date.now });
  onTestFinished(() => store.close());
  return { root, store };
}

/** The real worker, built before. */
export function builtWorker(): WorkerProgram {
  if (!existsSync(WORKER)) throw new Error(`${WORKER} is missing: run node scripts/build.mjs`);
  const { PATH, HOME } = process.env;
  return {
    file: WORKER,
    env: { PATH, HOME, LANG: 'C.UTF-8', UWF_LIMITS: JSON.stringify({ killGraceMs: 500 }) },
  };
}

export async function openTestService(
  root: string,
  options: {
    program?: WorkerProgram;
    limits?: Partial<ServiceLimits>;
    env?: NodeJS.ProcessEnv;
  } = {},
): Promise<{ service: NodeService; log: string[] }> {
  const log: string[] = [];
  const service = await openNodeService({
    root,
    name: 'me',
    labels: {},
    allow: ALL,
    env: options.env ?? {},
    clock: Date.now,
    log: (tag, text) => log.push(`${tag} ${text}`),
    authorize: () => ({ role: 'operator', name: 'ann', allow: ALL }),
    program: options.program ?? { file: '/dev/null', env: {} },
    limits: { houseEveryMs: 5, placeEveryMs: 5, ...options.limits },
  });
  onTestFinished(() => service.close());
  return { service, log };
}

/** The definitions' worker of this store is one that died long ago. */
export function buryWorker(store: Store): void {
  const identity = processIdentity(process.pid);
  if (identity === null) throw new Error('this process is not there');
  store.write('normal', () =>
    store.workers.register(
      {
        key: 'definitions',
        instance: 'worker-dead',
        version: '0.1.0',
        startedAt: 1,
        ...identity,
        renewedAt: monotonicMs() - LONG_AGO_MS,
      },
      () => true,
    ),
  );
}

/** Taken by a worker that died right then. */
export function claimAndDie(store: Store) {
  const identity = processIdentity(process.pid);
  if (identity === null) throw new Error('this process is not there');
  const renewedAt = monotonicMs() - LONG_AGO_MS;
  const row = store.write('normal', () =>
    store.threads.claimNext(
      { workerKey: 'definitions', instance: 'worker-dead', identity, renewedAt },
      { node: 1_000, workflows: {} },
    ),
  );
  if (row === null) throw new Error('nothing is queued');
  return row;
}

export async function until<T>(what: string, look: () => T | null | undefined | false): Promise<T> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const value = look();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`never came: ${what}`);
    await sleep(5);
  }
}
