import { isProblem } from '@uncaged/protocol/problem';
import type { Connection } from './connection.js';
import { BUSY_RETRY_MS, BUSY_TIMEOUT_MS, GROUP_MAX_WORKS } from './limits.js';
import { refusePromise } from './transactions.js';
import type { Durability } from './types.js';

type Job = {
  durability: Durability;
  work: () => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  result: { value: unknown } | { error: unknown } | null;
};

export type GroupCommit = {
  enqueue: <T>(durability: Durability, work: () => T) => Promise<T>;
  /** Commits what is queued now; nothing waits afterwards. */
  close: () => void;
};

/**
 * Works enqueued in one turn of the event loop share a transaction, and so one fsync. Each has a SAVEPOINT: one that
 * throws rolls back alone. All settle after the commit. When the store is busy the group waits without blocking.
 */
export function createGroupCommit(connection: Connection): GroupCommit {
  let queue: Job[] = [];
  let immediate: NodeJS.Immediate | null = null;
  let retry: NodeJS.Timeout | null = null;
  let busySince: number | null = null;

  function schedule(): void {
    if (immediate === null && retry === null) immediate = setImmediate(flush);
  }

  function flush(): void {
    immediate = null;
    retry = null;
    const group = queue.slice(0, GROUP_MAX_WORKS);
    queue = queue.slice(GROUP_MAX_WORKS);
    try {
      connection.begin(group.some((job) => job.durability === 'full') ? 'full' : 'normal');
    } catch (error) {
      if (mayRetry(error)) {
        queue = [...group, ...queue];
        retry = setTimeout(flush, BUSY_RETRY_MS);
        return;
      }
      failAll(group, error);
      if (queue.length > 0) schedule();
      return;
    }
    busySince = null;
    commitGroup(connection, group);
    if (queue.length > 0) schedule();
  }

  function mayRetry(error: unknown): boolean {
    if (!isProblem(error, 'store-busy')) return false;
    busySince ??= performance.now();
    if (performance.now() - busySince < BUSY_TIMEOUT_MS) return true;
    busySince = null;
    return false;
  }

  return {
    enqueue: (durability, work) =>
      new Promise((resolve, reject) => {
        queue.push({ durability, work, resolve, reject, result: null });
        schedule();
      }),
    close: () => {
      if (immediate !== null) clearImmediate(immediate);
      if (retry !== null) clearTimeout(retry);
      busySince = Number.NEGATIVE_INFINITY;
      while (queue.length > 0) {
        flush();
        busySince = Number.NEGATIVE_INFINITY;
      }
      if (immediate !== null) clearImmediate(immediate);
    },
  };
}

function commitGroup(connection: Connection, group: readonly Job[]): void {
  try {
    if (group.length === 1) runAlone(group[0]!);
    else for (const job of group) runJob(connection, job);
    connection.commit();
  } catch (error) {
    connection.rollback();
    failAll(group, error);
    return;
  }
  for (const { result, resolve, reject } of group) {
    if (result === null) reject(new Error('work of a group commit was not run'));
    else if ('error' in result) reject(result.error);
    else resolve(result.value as never);
  }
}

/** Needs no savepoint: what it throws ends the transaction. */
function runAlone(job: Job): void {
  const value = job.work();
  refusePromise(value);
  job.result = { value };
}

function runJob(connection: Connection, job: Job): void {
  connection.savepoint();
  try {
    const value = job.work();
    refusePromise(value);
    job.result = { value };
  } catch (error) {
    // A full disk may have ended the whole transaction: then nobody's work is in it.
    if (!connection.inTransaction()) throw error;
    job.result = { error };
    connection.rollbackToSavepoint();
  }
  connection.release();
}

function failAll(group: readonly Job[], error: unknown): void {
  for (const { result, reject } of group) {
    // One that failed by itself keeps its own reason.
    reject(result !== null && 'error' in result ? result.error : error);
  }
}
