import { nanoid } from 'nanoid';
import { isProcessDead, monotonicMs } from '../process/index.js';
import type { LeaseRow, WorkerRow } from '../store/index.js';

/** A new owner name; made at process start, never reused. */
export function createInstance(): string {
  return nanoid();
}

/** A lease is nobody's when its process is gone, the machine has booted since, or it was not renewed in time. */
export function isLeaseDead(lease: LeaseRow, deadAfterMs: number): boolean {
  return isProcessDead(lease) || monotonicMs() - lease.renewedAt > deadAfterMs;
}

export function isWorkerDead(worker: WorkerRow): boolean {
  return isProcessDead(worker);
}
