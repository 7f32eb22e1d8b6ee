export { createContentWriter } from './content-writer.js';
export { acquireLock, type FileLock } from './file-lock.js';
export { type OpenOptions, openStore } from './open-store.js';
export { storageRoot } from './storage-root.js';
export type {
  EndCommit,
  EventTable,
  IdempotencyTable,
  LeaseTable,
  LiveTable,
  OpenAttempt,
  Settlement,
  StepKey,
  StepTable,
  Store,
  ThreadTable,
  WorkerTable,
} from './store.js';
export { isOver, THREAD_STATUSES } from './thread-status.js';
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
