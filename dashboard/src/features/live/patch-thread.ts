import type { PlacedEventJson, PlacedThread, ThreadSummary } from '@uncaged/protocol/api';

type Status = ThreadSummary['status'];

const STATUS_AFTER: Partial<Record<PlacedEventJson['type'], Status>> = {
  'thread.queued': 'queued',
  'thread.started': 'running',
  'thread.resumed': 'running',
  'thread.paused': 'paused',
  'thread.waiting': 'waiting',
  'thread.interrupted': 'interrupted',
  'thread.completed': 'completed',
  'thread.failed': 'failed',
  'thread.cancelled': 'cancelled',
};

const ENDED: ReadonlySet<Status> = new Set(['completed', 'failed', 'cancelled']);

/**
 * A row as far as an event tells; tokens, cost and what else is missing come with the next summary. `updatedAt` stays: it says
 * which of two rows was read from the store later.
 */
export function patchThread(thread: PlacedThread, event: PlacedEventJson): PlacedThread {
  const next: PlacedThread = { ...thread };
  const status = STATUS_AFTER[event.type];
  if (status !== undefined) {
    next.status = status;
    next.endedAt = ENDED.has(status) ? event.at : null;
    if (status === 'running') next.startedAt = thread.startedAt ?? event.at;
    if (status !== 'paused') next.reason = null;
    if (status !== 'failed') next.problem = null;
  }
  const { role, reason, summary, returnCode, problem } = event.data as Partial<PlacedThread>;
  if (event.type === 'step.started' && typeof role === 'string') next.role = role;
  if (event.type === 'step.committed') next.stepCount = thread.stepCount + 1;
  if (event.type === 'thread.paused' && reason !== undefined) next.reason = reason;
  if (status !== undefined && ENDED.has(status)) {
    if (typeof summary === 'string') next.summary = summary;
    if (typeof returnCode === 'number') next.returnCode = returnCode;
    if (problem !== undefined) next.problem = problem;
  }
  return next;
}
