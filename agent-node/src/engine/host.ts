import type { Agent } from '../agents/index.js';
import type { Validator } from '../extract/index.js';
import type { Store, ThreadRow } from '../store/index.js';
import type { LoadedWorkflow } from './types.js';

/** What the engine needs of the process it runs in; one per thread run. */
export type EngineHost = {
  store: Store;
  /** ms since epoch */
  clock: () => number;
  /** The agent that carries a role out; `wanted` is what workflow code asked for. Throws unknown-agent, unsupported-kind. */
  agentFor: (
    thread: ThreadRow,
    workflow: LoadedWorkflow,
    role: string,
    wanted: string | null,
  ) => Promise<Agent>;
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
  pauseRequested: () => boolean;
};
