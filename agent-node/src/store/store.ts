import type { Payload, Usage } from '@uncaged/protocol/cas';
import type { Hash, ThreadId } from '@uncaged/protocol/ids';
import type {
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
  ProcessIdentity,
  StepRow,
  ThreadRow,
  ThreadStatus,
  WorkerRow,
} from './types.js';
import type { Upkeep } from './upkeep-types.js';

/**
 * The one meeting point of all processes of a machine. Synchronous: a call returns when SQLite has answered.
 * Everything that changes something must run inside `write` or `enqueue`; reads may run anywhere.
 */
export type Store = {
  readonly root: string;
  /** Identity of this database, made with it; part of event ids. */
  readonly id: string;
  readonly nodes: NodeTable;
  readonly threads: ThreadTable;
  readonly steps: StepTable;
  readonly events: EventTable;
  readonly live: LiveTable;
  readonly leases: LeaseTable;
  readonly workers: WorkerTable;
  readonly idempotency: IdempotencyTable;
  readonly upkeep: Upkeep;
  readonly settings: {
    get: (key: string) => string | null;
    set: (key: string, value: string) => void;
  };
  /** One IMMEDIATE transaction. Throws store-busy, disk-full, store-unavailable, store-damaged; then nothing was written. */
  write: <T>(durability: Durability, work: () => T) => T;
  /** One consistent snapshot for several reads. */
  read: <T>(work: () => T) => T;
  /**
   * Group commit: works that are ready in the same turn share a transaction, a SAVEPOINT each; one that throws rolls back
   * alone. Settles after the commit (with fsync when any of the group asked for `full`).
   */
  enqueue: <T>(durability: Durability, work: () => T) => Promise<T>;
  /** Changes when another connection has committed. */
  dataVersion: () => number;
  /** False once the file was removed or another put in its place: what is written from then on nobody will read. */
  isInPlace: () => boolean;
  /** Moves WAL content into the database file without waiting for anybody. Returns the pages left in the WAL. */
  checkpoint: () => number;
  close: () => void;
};

/**
 * Status machine (docs/architecture.md): the one setter of `thread.status` lives behind these functions.
 *
 * queued → running → completed | failed | cancelled
 * running → paused | waiting → queued            running | waiting with a dead owner → interrupted → queued
 * failed with returnCode null → queued           anything not over, without a live owner → cancelled
 */
export type ThreadTable = {
  /** Inserts as `queued`, desired `run`, head = start; event thread.queued. */
  create: (thread: NewThread) => void;
  get: (id: ThreadId) => ThreadRow | null;
  /** Ids that begin with `prefix`, at most `limit`. */
  findByPrefix: (prefix: string, limit: number) => ThreadId[];
  /** Newest first by id; `before` is the last id of the page before. `q`: id prefix, workflow, start of the prompt. */
  list: (query: {
    statuses?: readonly ThreadStatus[];
    workflow?: string;
    q?: string;
    before?: ThreadId;
    limit: number;
  }) => ThreadRow[];
  countByStatus: () => Record<ThreadStatus, number>;
  /** Anyone may write it. Throws thread-not-found; thread-state when the thread is over. */
  setDesired: (id: ThreadId, desired: Desired) => void;
  /**
   * Oldest queued thread of this worker that the limits let run: becomes `running` with a lease and the next fence;
   * event thread.started, or thread.resumed when it ran before. `desired` kill or pause is left for the owner to obey.
   */
  claimNext: (
    owner: { workerKey: string; instance: string; identity: ProcessIdentity; renewedAt: number },
    limits: { node: number; workflows: Readonly<Record<string, number>> },
  ) => ThreadRow | null;
  /** Worker keys of queued threads that the limits would let run, oldest first. */
  queuedWorkers: (limits: {
    node: number;
    workflows: Readonly<Record<string, number>>;
  }) => string[];
  /**
   * Where a queued thread stands and what it waits for: a slot of its `workflow` (place among the queued threads of that),
   * a slot of the `node`, or only for a `worker` to take it (place among all). Null when it is not queued.
   */
  queuePlace: (
    id: ThreadId,
    limits: { node: number; workflows: Readonly<Record<string, number>> },
  ) => QueuePlace | null;
  /** The owner lets go. Checks the fence (lease-lost), deletes the lease, writes the event. */
  settle: (id: ThreadId, fence: number, outcome: Settlement) => void;
  /** running|waiting rows whose lease `isDead` says so → interrupted; their running steps too. Returns their ids. */
  interruptDead: (isDead: (lease: LeaseRow) => boolean) => ThreadId[];
  /**
   * paused | waiting | interrupted → queued; failed without a return code → queued when `retry`. desired = run.
   * Raised limits are merged into `options`. Throws thread-owned (naming the pid) when a lease exists, thread-state otherwise.
   */
  requeue: (id: ThreadId, how: { retry: boolean; raise?: Partial<ThreadRow['options']> }) => void;
  /**
   * Inserts a thread that begins with the first `forkedSeq` steps of `forkedFrom`, as `create` does; `start` is the source's.
   * With a marker, that is its head; a marker that stood at this place of the source's chain stays before it. The kept steps
   * are copied as rows, without counting their tokens again. Throws thread-not-found for the source.
   */
  fork: (
    thread: NewThread & { forkedFrom: ThreadId; forkedSeq: number },
    marker: ForkMarker | null,
  ) => void;
  /**
   * Inserts a thread of another store, marked as imported, with all its attempts: a copy that never runs here. What was queued,
   * running or waiting is interrupted. Its nodes must be here: node-not-found.
   */
  insertCopy: (thread: ThreadRow, steps: readonly StepRow[]) => void;
  /** Forks and nested threads of a thread (which itself may be gone), oldest first. */
  relatives: (of: ThreadId, limit: number) => ThreadRow[];
  /** Nested threads below a thread, however deep, that are not over; those near it first. */
  openDescendants: (of: ThreadId) => ThreadRow[];
  /** No lease exists: over with this end state (returnCode 130). Throws thread-owned, thread-state. */
  cancelIdle: (id: ThreadId, end: EndCommit) => Hash;
  /** Whether a thread works in this directory or in one below it; looks at all threads. */
  worksIn: (path: string) => boolean;
  /**
   * Rows of the thread and of all nested in it everywhere but `node`; returns what they were, the thread itself first. Throws
   * thread-state when it, or one nested in it, is queued, running or waiting, and when it is the step of one that goes on.
   * Event thread.removed for each.
   */
  remove: (id: ThreadId) => ThreadRow[];
};

/** `position` counts from 1. */
export type QueuePlace = { position: number; waitsFor: 'workflow' | 'node' | 'worker' };

/** What a fork goes on with: meta of the `__fork__` state. Null = as before. */
export type ForkMarker = {
  /** Task of the next role, once. */
  prompt: string | null;
  /** Roles that other agents carry out from here on. */
  agents: Record<string, string> | null;
  /** The version from here on, when it is another than the start's. */
  definition: Hash | null;
};

export type StepTotals = { steps: number; usage: Usage; usd: number; durationMs: number };

export type Settlement =
  | { status: 'paused'; reason: PauseReason }
  | { status: 'waiting' }
  /** Failed for now: no end state, retryable. */
  | { status: 'failed'; problem: Failure }
  /** Over. completed when the code is 0, cancelled when 130, else failed. */
  | { status: 'ended'; end: EndCommit; problem?: Failure };

/** The `__end__` state; written and made head in the same transaction. Returned hash = state node. */
export type EndCommit = {
  returnCode: number;
  summary: string;
  ownSummary: string | null;
  startedAt: number;
  timestamp: number;
};

export type StepKey = { thread: ThreadId; seq: number; attempt: number };

export type OpenAttempt = {
  seq: number;
  attempt: number;
  pgid: number | null;
  processStart: string | null;
};

export type StepTable = {
  /** `running`; event step.started. Checks the fence. */
  start: (
    step: StepKey & { fence: number; role: string; agent: string; startedAt: number },
  ) => void;
  setProcess: (step: StepKey, group: { pgid: number; processStart: string }) => void;
  /** Names the nested thread that a running attempt waits for; event step.nested. Checks the fence. */
  setChild: (step: StepKey & { fence: number }, child: ThreadId) => void;
  /**
   * The state node (ancestors and `start` are filled in from the chain), the new head, the counters, the event
   * step.committed, in the caller's transaction; live text of the step is deleted. Checks the fence: lease-lost.
   */
  commit: (
    step: StepKey & {
      fence: number;
      state: Omit<Payload<'state'>, 'start' | 'ancestors' | 'attempt'>;
      casRefs: readonly Hash[];
      usage: Usage | null;
      usd: number;
    },
  ) => Hash;
  /** Ended without a commit; event step.failed with the problem. */
  fail: (
    step: StepKey & {
      fence: number;
      status: 'failed' | 'cancelled';
      problem: Failure;
      endedAt: number;
    },
  ) => void;
  /** In order of seq, attempt; `after` is the last of the page before. */
  list: (
    thread: ThreadId,
    query?: { after?: { seq: number; attempt: number }; limit?: number },
  ) => StepRow[];
  /** The committed attempt of each step behind `afterSeq`, in order. */
  committed: (thread: ThreadId, query: { afterSeq: number; limit: number }) => StepRow[];
  /** Sums over the committed steps behind `afterSeq`; `durationMs` of the steps, not of the time between them. */
  totals: (thread: ThreadId, afterSeq: number) => StepTotals;
  /**
   * How long a thread ran, ms: the sum of its attempts, those that failed and the one under way (up to `now`) among them. Not the
   * time it lay queued or paused, nor what a fork has from its source.
   */
  ranMs: (thread: Pick<ThreadRow, 'id' | 'forkedSeq'>, now: number) => number;
  /** `seq` of the last committed step of a role. */
  lastOfRole: (thread: ThreadId, role: string) => number | null;
  /** Roles with committed steps, in the order of their first one. */
  roles: (thread: ThreadId, limit: number) => string[];
  /** All rows whose state node this is (a fork copies the prefix). */
  byHash: (hash: Hash) => StepRow[];
  /** Attempts made for a seq so far. */
  attempts: (thread: ThreadId, seq: number) => number;
  /** The newest attempt at a seq that was a nested thread. */
  lastChild: (thread: ThreadId, seq: number) => StepRow | null;
  /**
   * The newest attempt that has not committed: all that a dead worker may have left running is its, for an attempt begins
   * only after what is left of the one before was ended. The group is null when it was not noted in time.
   */
  lastOpen: (thread: ThreadId) => OpenAttempt | null;
};

export type EventTable = {
  append: (event: {
    thread: ThreadId | null;
    type: EventType;
    data: Record<string, unknown>;
  }) => number;
  after: (query: { seq: number; thread?: ThreadId; limit: number }) => EventRow[];
  lastSeq: () => number;
};

export type LiveTable = {
  append: (row: LiveRow) => void;
  after: (query: { thread: ThreadId; seq: number; n: number; limit: number }) => LiveRow[];
  /** Drops the text of a step that will not commit. */
  clear: (thread: ThreadId, seq: number) => void;
};

/** What a client asked for once and may ask again, not knowing whether it was heard. */
export type IdempotencyTable = {
  /** `body`: digest of what was asked for. Entries older than IDEMPOTENCY_KEEP_MS are gone. */
  get: (key: string) => { body: Uint8Array; thread: ThreadId } | null;
  /** Drops what is too old on the way. */
  put: (key: string, body: Uint8Array, thread: ThreadId) => void;
};

export type LeaseTable = {
  get: (thread: ThreadId) => LeaseRow | null;
  list: () => LeaseRow[];
  /** One UPDATE for all threads of a worker; returns how many it still has. */
  renew: (owner: string, renewedAt: number) => number;
};

export type WorkerTable = {
  get: (key: string) => WorkerRow | null;
  list: () => WorkerRow[];
  /** False when another row holds the key and `isDead` says it lives; a dead one is replaced. */
  register: (worker: WorkerRow, isDead: (worker: WorkerRow) => boolean) => boolean;
  /** Says that the worker still moves. */
  renew: (instance: string, renewedAt: number) => void;
  /** Deletes the row unless something is queued for its key; false then. */
  retire: (key: string, instance: string) => boolean;
};
