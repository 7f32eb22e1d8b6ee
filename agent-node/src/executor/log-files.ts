import { type Dirent, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hashSchema, threadIdSchema } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Store, ThreadStatus } from '../store/index.js';
import { hasLiveWorker, isQueuedFor } from './ensure-worker.js';
import type { ExecutorLimits } from './limits.js';

export type LogFile = {
  kind: 'thread' | 'worker';
  /** The thread's id, or the worker's key: `definitions` or a bundle's hash. */
  name: string;
  path: string;
  /** bytes */
  size: number;
  /** When it was written last, ms since epoch. */
  modifiedAt: number;
};

const WORKERS = 'workers';
const THREAD_LOG = '.info.jsonl';
const WORKER_LOG = '.log';

/** Nobody works on these, and nobody will unless a person says so. */
const DONE: ReadonlySet<ThreadStatus> = new Set(['completed', 'failed', 'cancelled']);

/** The logs below `<root>/logs`, the one that was written last first. Files that are no logs are passed over. */
export function listLogs(root: string): LogFile[] {
  const logs = join(root, 'logs');
  return entriesOf(logs)
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const directory = join(logs, name);
      if (name !== WORKERS && !hashSchema.safeParse(name).success) return [];
      const files = entriesOf(directory).filter((entry) => entry.isFile());
      return files.flatMap((file) => logFile(directory, file.name, name === WORKERS));
    })
    .sort((a, b) => b.modifiedAt - a.modifiedAt || (a.name < b.name ? -1 : 1));
}

/**
 * Removes logs that nobody has written to for `olderThanMs`; with `dryRun` only says which. Logs of workers that live or
 * are about to, and of threads that are not done, are kept. Throws store-unavailable when one cannot be removed.
 */
export function cleanLogs(
  store: Store,
  how: { olderThanMs: number; dryRun: boolean; now: number; limits: ExecutorLimits },
): { removed: LogFile[]; keptBusy: number } {
  const old = listLogs(store.root).filter(
    ({ modifiedAt }) => how.now - modifiedAt >= how.olderThanMs,
  );
  const removed: LogFile[] = [];
  for (const log of old) {
    if (isBusy(store, log, how.limits)) continue;
    if (!how.dryRun) remove(log);
    removed.push(log);
  }
  return { removed, keptBusy: old.length - removed.length };
}

function isBusy(store: Store, { kind, name }: LogFile, limits: ExecutorLimits): boolean {
  if (kind === 'worker') return hasLiveWorker(store, name, limits) || isQueuedFor(store, name);
  const row = store.threads.get(name);
  return row !== null && !DONE.has(row.status);
}

function logFile(directory: string, file: string, isWorker: boolean): LogFile[] {
  const end = isWorker ? WORKER_LOG : THREAD_LOG;
  const name = file.slice(0, -end.length);
  if (!file.endsWith(end) || !(isWorker ? isWorkerKey(name) : isThreadId(name))) return [];
  const path = join(directory, file);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const { size, mtimeMs } = stat;
  return [{ kind: isWorker ? 'worker' : 'thread', name, path, size, modifiedAt: mtimeMs }];
}

const isThreadId = (text: string) => threadIdSchema.safeParse(text).success;
const isWorkerKey = (text: string) => text === 'definitions' || hashSchema.safeParse(text).success;

/** Nothing when the directory is not there, or no longer. */
function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function remove({ path }: LogFile): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Problem('store-unavailable', `log ${path} cannot be removed: ${why}`, {
      cause: error,
    });
  }
}
