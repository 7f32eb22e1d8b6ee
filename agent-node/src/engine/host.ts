import type { Agent, NestedWorkflow } from '../agents/index.js';
import type { Validator } from '../extract/index.js';
import type { Store, ThreadRow } from '../store/index.js';
import type { NestedThreads } from './nested-threads.js';
import type { LoadedWorkflow } from './types.js';

/** What the engine needs of the process it runs in; one per thread run. */
export type EngineHost = {
  store: Store;
  /** ms since epoch */
  clock: () => number;
  /** In [0, 1): spreads what would happen at the same moment. */
  random: () => number;
  /** Who carries a role out; `wanted` is what workflow code asked for. Throws unknown-agent, unsupported-kind. */
  agentFor: (
    thread: ThreadRow,
    workflow: LoadedWorkflow,
    role: string,
    wanted: string | null,
  ) => Promise<Agent | NestedWorkflow>;
  nested: NestedThreads;
  /** Debug log; the tag names the call site. */
  log: (tag: string, message: string) => void;
  /** Given to every script and agent. */
  env: Readonly<Record<string, string>>;
  validator: Validator;
  /** TERM to KILL of what an earlier attempt left, ms. */
  killGraceMs: number;
};

/** What the outside may do to a running thread. */
export type ThreadControl = {
  /** Aborted with a Problem: cancelled, or lease-lost. */
  signal: AbortSignal;
  /** Looks anew: what was told before the last commit is obeyed before the next step begins. May abort the signal. */
  pauseRequested: () => boolean;
  /** Resolves when the store has changed and what is wanted of the thread was looked at again. One waits at a time. */
  nextChange: () => Promise<void>;
};
