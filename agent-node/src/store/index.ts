export { createContentWriter } from './content-writer.js';
export { acquireLock, type FileLock } from './file-lock.js';
export { GC_GRACE_MS } from './limits.js';
export { type OpenOptions, openStore } from './open-store.js';
export { mergeOptions } from './requeue.js';
export { storageRoot } from './storage-root.js';
export type {
  EndCommit,
  EventTable,
  ForkMarker,
  IdempotencyTable,
  LeaseTable,
  LiveTable,
  OpenAttempt,
  QueuePlace,
  Settlement,
  StepKey,
  StepTable,
  StepTotals,
  Store,
  ThreadTable,
  WorkerTable,
} from './store.js';
export { isOver, refuseCopy, THREAD_STATUSES } from './thread-status.js';
export type {
  ContentWriter,
  Desired,
  Durability,
  EventRow,
  EventType,
  Failure,
  LeaseRow,
  LiveRow,
  NewThread,
  NodeTable,
  PauseReason,
  Prepared,
  ProcessIdentity,
  StepRow,
  StepStatus,
  ThreadOptions,
  ThreadRow,
  ThreadStatus,
  WorkerRow,
  WorkflowKind,
} from './types.js';
export type {
  Collected,
  CollectOptions,
  Damage,
  Upkeep,
  UpkeepProgress,
  Verified,
} from './upkeep-types.js';
export { isMadeWorkspace, workDirectory } from './work-directory.js';
