import type { Node, NodeType, Payload, Usage } from '@uncaged/protocol/cas';
import type { Hash, ThreadId } from '@uncaged/protocol/ids';
import type { ProblemCode } from '@uncaged/protocol/problem';

/**
 * `full`: on disk when the call returns (thread creation, step commit, answers, desired state).
 * `normal`: survives `kill -9`, not power loss (step.started, live text, leases).
 */
export type Durability = 'full' | 'normal';

export type ThreadStatus =
  | 'queued'
  | 'running'
  | 'paused'
  | 'waiting'
  | 'interrupted'
  | 'completed'
  | 'failed'
  | 'cancelled';
export type Desired = 'run' | 'pause' | 'kill';
export type PauseReason = 'user' | 'loop' | 'max-steps' | 'max-visits' | 'budget';
export type WorkflowKind = 'definition' | 'bundle';
export type Failure = { code: ProblemCode; message: string };

/** Raised or chosen at the start of a thread; all optional in effect, null = not given. */
export type ThreadOptions = {
  agents: Record<string, string>;
  maxSteps: number | null;
  maxVisits: number | null;
  budget: { tokens: number | null; usd: number | null } | null;
  /** Pause (reason `user`) once so many steps are committed: how single steps are made. */
  stopAt: number | null;
  /** What requeueing notes for the engine; absent until then. */
  marks?: ResumeMarks;
};

/** Where counting begins anew: somebody looked at the thread there and let it go on. */
export type ResumeMarks = {
  /** Steps that the loop guard leaves out: those before it was last told to go on from a loop. */
  loopFrom: number;
  /** Attempts at step `seq` that were made before it was last retried by hand; null when it never was. */
  retried: { seq: number; attempts: number } | null;
};

export type ThreadRow = {
  id: ThreadId;
  workflow: string;
  version: Hash;
  kind: WorkflowKind;
  worker: string;
  start: Hash;
  head: Hash;
  status: ThreadStatus;
  desired: Desired;
  reason: PauseReason | null;
  problem: Failure | null;
  options: ThreadOptions;
  prompt200: string;
  workspace: string;
  depth: number;
  parent: ThreadId | null;
  /** The step of `parent` that it is. */
  parentSeq: number | null;
  forkedFrom: ThreadId | null;
  /** First steps it shares with `forkedFrom`: copied rows, whose tokens are not counted in this thread. */
  forkedSeq: number | null;
  /** A copy from a pack: it never runs here. */
  imported: boolean;
  fence: number;
  createdAt: number;
  queuedAt: number;
  updatedAt: number;
  startedAt: number | null;
  endedAt: number | null;
  returnCode: number | null;
  summary: string | null;
  role: string | null;
  steps: number;
  usage: Usage;
  usd: number;
};

export type StepStatus = 'running' | 'committed' | 'failed' | 'interrupted' | 'cancelled';

export type StepRow = {
  thread: ThreadId;
  seq: number;
  attempt: number;
  /** The state node; null until the commit. */
  hash: Hash | null;
  role: string;
  agent: string;
  status: StepStatus;
  problem: Failure | null;
  startedAt: number;
  committedAt: number | null;
  pgid: number | null;
  processStart: string | null;
  childThread: ThreadId | null;
  usage: Usage;
  usd: number;
};

export type EventType =
  | `thread.${'queued' | 'started' | 'paused' | 'waiting' | 'interrupted' | 'resumed' | 'completed' | 'failed' | 'cancelled' | 'removed'}`
  | `step.${'started' | 'nested' | 'committed' | 'failed'}`
  | `question.${'asked' | 'answered'}`
  | 'workflow.changed';

export type EventRow = {
  seq: number;
  thread: ThreadId | null;
  type: EventType;
  at: number;
  data: Record<string, unknown>;
};

export type LiveRow = {
  thread: ThreadId;
  seq: number;
  n: number;
  kind: 'text' | 'stderr';
  text: string;
};

/** A process of this machine in this boot; a pid alone may be somebody else's by now. */
export type ProcessIdentity = { pid: number; processStart: string; bootId: string };

export type LeaseRow = ProcessIdentity & {
  thread: ThreadId;
  owner: string;
  fence: number;
  /** ms of the monotonic clock within `bootId` */
  renewedAt: number;
};

export type WorkerRow = ProcessIdentity & {
  key: string;
  instance: string;
  version: string;
  startedAt: number;
  /** ms of the monotonic clock within `bootId` */
  renewedAt: number;
};

/** Something whose address is known before it is written; `put` must run inside a transaction. */
export type Prepared = { hash: Hash; put: () => void };

/**
 * Output of a step as it comes. Pieces of a long output are written ahead, each in a `normal` transaction of its own,
 * so that memory stays bounded; `seal` ends it and gives the address, its `put` belongs in the step's commit.
 */
export type ContentWriter = {
  /** Throws output-too-large. */
  write: (chunk: Uint8Array) => void;
  readonly size: number;
  /** First 64 KiB and last 1 MiB of the bytes. */
  head: () => Uint8Array;
  tail: () => Uint8Array;
  seal: () => Prepared;
};

/**
 * CAS. `put*` must run inside `store.write` or a group commit; they compare bytes when the hash exists and throw
 * `hash-collision` on a difference. Hashes of unknown shape or parity are simply not found.
 */
export type NodeTable = {
  put: <T extends NodeType>(type: T, payload: Payload<T>, casRefs?: readonly Hash[]) => Hash;
  /** `put` in two moves: the address now (pure), the write later inside a transaction. */
  prepare: <T extends NodeType>(
    type: T,
    payload: Payload<T>,
    casRefs?: readonly Hash[],
  ) => Prepared;
  /** Text of any length: one `content`, or `parts` of pieces. */
  putText: (text: string) => Hash;
  /** The same in two moves: the address now (pure), the write later inside a transaction. */
  prepareText: (text: string) => Prepared;
  get: (hash: Hash) => Node | null;
  /** Canonical bytes as stored. */
  getBytes: (hash: Hash) => Uint8Array | null;
  has: (hash: Hash) => boolean;
  /** Bytes of what a `content`, `bytes` or `parts` node stands for, piece by piece; throws node-not-found, store-damaged. */
  contentChunks: (hash: Hash) => Generator<Uint8Array, void, undefined>;
  /** Whole text; invalid UTF-8 as U+FFFD. `maxBytes` stops early. */
  readText: (hash: Hash, maxBytes?: number) => string;
  contentSize: (hash: Hash) => number;
  list: (query: {
    type?: NodeType;
    after?: Hash;
    limit: number;
  }) => { hash: Hash; type: NodeType; size: number }[];
  /**
   * Nodes that refer to this one, by hash; `after` is the last of the page before. Of the ancestors of a state only its
   * parent counts, and of several states of a thread only the first refers to the start.
   */
  referrers: (
    hash: Hash,
    query: { after?: Hash; limit: number },
  ) => { hash: Hash; type: NodeType; size: number }[];
  /**
   * `registryRoots`: what the registry names (versions, history, sources); the store cannot see the registry's file.
   * Throws in-use when one of them, another node or a thread needs it; node-not-found.
   */
  remove: (hash: Hash, registryRoots: Iterable<Hash>) => void;
};

export type NewThread = Omit<
  ThreadRow,
  | 'status'
  | 'desired'
  | 'reason'
  | 'problem'
  | 'head'
  | 'fence'
  | 'queuedAt'
  | 'updatedAt'
  | 'startedAt'
  | 'endedAt'
  | 'returnCode'
  | 'summary'
  | 'role'
  | 'steps'
  | 'usage'
  | 'usd'
>;
