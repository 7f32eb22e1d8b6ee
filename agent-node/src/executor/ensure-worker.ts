import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@uncaged/protocol/problem';
import { MARKER_VARIABLE } from '../process/index.js';
import type { Store } from '../store/index.js';
import type { ExecutorLimits } from './limits.js';
import { isOwnerDead } from './owner.js';
import { workerNodeOptions } from './programs.js';

/** How often a starter looks for its worker's row; a look costs microseconds. */
const LOOK_EVERY_MS = 5;
/** End of the worker's log that a failure quotes, bytes. */
const LOG_QUOTE_BYTES = 2_000;

export type WorkerProgram = {
  /** The built worker, run by this very node. */
  file: string;
  env: NodeJS.ProcessEnv;
};

/**
 * Makes sure that a live worker has the key: insert the thread first, then call this. A second worker of the same key
 * exits by itself. Resolves when one is registered; throws worker-start with the end of its log.
 */
export async function ensureWorker(
  store: Store,
  key: string,
  program: WorkerProgram,
  limits: ExecutorLimits,
): Promise<void> {
  if (hasLiveWorker(store, key, limits)) return;
  const log = workerLog(store.root, key);
  const exit = startWorker(store.root, key, log, program);
  const deadline = performance.now() + limits.workerStartMs;
  for (;;) {
    if (hasLiveWorker(store, key, limits)) return;
    const ended = exit();
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

export function workerLog(root: string, key: string): string {
  return join(root, 'logs', 'workers', `${key}.log`);
}

function startWorker(
  root: string,
  key: string,
  log: string,
  program: WorkerProgram,
): () => number | string | null {
  mkdirSync(join(root, 'logs', 'workers'), { recursive: true, mode: 0o700 });
  const output = openSync(log, 'a', 0o600);
  const child = spawn(process.execPath, [...workerNodeOptions, program.file, root, key], {
    cwd: root,
    detached: true,
    stdio: ['ignore', output, output],
    env: workerEnvironment(program.env),
  });
  closeSync(output);
  let ended: number | string | null = null;
  child.on('error', (error) => {
    ended = error.message;
  });
  child.on('exit', (code, signal) => {
    ended = code ?? signal ?? 'an unknown signal';
  });
  child.unref();
  return () => ended;
}

/** Of a service that may have started this process; what agents do is not its business. */
const SERVICE_SECRETS = ['UWF_NODE_TOKEN', 'UWF_SERVE_TOKEN', 'WORKFLOW_DASHBOARD_SECRET'];

/**
 * What a worker, and with it every agent, is given. Started from within a step, a worker is not part of it: it must not end
 * with that step.
 */
function workerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const left = { ...env };
  for (const name of [MARKER_VARIABLE, ...SERVICE_SECRETS]) delete left[name];
  return left;
}

function notStarted(key: string, why: string, log: string): Problem {
  const text = readFileSync(log, 'utf8').slice(-LOG_QUOTE_BYTES).trim();
  const said = text === '' ? '' : `\n${text}`;
  return new Problem(
    'worker-start',
    `the worker for ${key} did not start: ${why}; its log is ${log}${said}`,
  );
}
