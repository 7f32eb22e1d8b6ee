import { nanoid } from 'nanoid';
import { isProcessDead, monotonicMs } from '../process/index.js';
import type { LeaseRow, WorkerRow } from '../store/index.js';

/** A new owner name; made at process start, never reused. */
export function createInstance(): string {
  return nanoid();
}

/**
 * A lease is nobody's, and a worker none, when its process is gone, the machine has booted since, or it was not renewed in
 * time: a process that stands still holds nothing.
 */
export function isOwnerDead(owner: LeaseRow | WorkerRow, deadAfterMs: number): boolean {
  return isProcessDead(owner) || monotonicMs() - owner.renewedAt > deadAfterMs;
}
