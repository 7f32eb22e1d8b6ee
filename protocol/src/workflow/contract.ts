import type { Hash, ThreadId } from '../ids/index.js';

/** What a role answered, typed by its schema. */
export type Meta = Record<string, unknown>;

/** A committed step as the moderator and workflow code see it. Times in ms since epoch. */
export type Step<M extends Meta = Meta> = {
  role: string;
  attempt: number;
  /** Address of the state node. */
  hash: Hash;
  contentHash: Hash;
  meta: M;
  refs: Hash[];
  childThread: ThreadId | null;
  timestamp: number;
};

export type ThreadStart = {
  role: '__start__';
  /** The user's prompt. */
  content: string;
  inputs: Record<string, unknown> | null;
  meta: Meta;
  parentState: Hash | null;
  timestamp: number;
};

/** What one thread knows of itself. `steps` grows by one at each commit; never changed by workflow code. */
export type ThreadContext = {
  threadId: ThreadId;
  depth: number;
  bundleHash: Hash | null;
  start: ThreadStart;
  steps: readonly Step[];
};

/** What a workflow yields after a role is through; the engine commits it as one step. */
export type RoleOutput = {
  role: string;
  contentHash: Hash;
  meta: Meta;
  refs: Hash[];
  childThread?: ThreadId | null;
};

export type WorkflowResult = { returnCode: number; summary: string };

export type RunRoleRequest = {
  role: string;
  /** What the role is: the system prompt. */
  prompt: string;
  /** What it is to do now. Empty or absent: the user's prompt. */
  task?: string;
  /** JSON Schema (draft 2020-12) of the meta; null accepts any object. */
  schema: Record<string, unknown> | null;
  /** Name of an agent binding; absent: what the thread, the workflow or the node says. */
  agent?: string;
};

export type RunRoleResult = {
  contentHash: Hash;
  meta: Meta;
  refs: Hash[];
  childThread: ThreadId | null;
};

export type WorkflowRuntime = {
  cas: {
    /** Stores text as a content node. */
    put: (text: string) => Promise<Hash>;
    /** Text of a node, or null when there is none. */
    get: (hash: Hash) => Promise<string | null>;
  };
  /** Aborted when the thread is killed or its owner loses it. */
  signal: AbortSignal;
  log: (tag: string, message: string) => void;
  runRole: (request: RunRoleRequest) => Promise<RunRoleResult>;
};

/** The contract of a workflow: an async generator that yields each role's output and returns the end. */
export type WorkflowRun = (
  thread: ThreadContext,
  runtime: WorkflowRuntime,
) => AsyncGenerator<RoleOutput, WorkflowResult, void>;

/** The moderator's word: which role, with which task; `__end__` ends, its prompt is the summary. */
export type Next = { role: string; prompt: string };

export type Moderator = (thread: ThreadContext) => Next | Promise<Next>;
