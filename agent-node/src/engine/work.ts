import type { Usage } from '@uncaged/protocol/cas';
import type { Hash } from '@uncaged/protocol/ids';
import type { RunRoleRequest } from '@uncaged/protocol/workflow';
import type { PreviousSteps } from '../extract/index.js';
import type { Prepared, StepKey, ThreadRow } from '../store/index.js';
import type { EngineHost, ThreadControl } from './host.js';
import type { TaskFiles } from './task-files.js';
import type { GrowingContext } from './thread-context.js';
import type { LoadedWorkflow } from './types.js';

/** One run of a thread: what all its steps share. */
export type ThreadWork = {
  host: EngineHost;
  thread: ThreadRow;
  workflow: LoadedWorkflow;
  control: ThreadControl;
  context: GrowingContext;
  files: TaskFiles;
};

/** One attempt at one step of it. */
export type StepWork = ThreadWork & {
  request: RunRoleRequest;
  key: StepKey;
  /** Earlier committed steps of this role. */
  visit: number;
  /** Metas of all steps but the latest. */
  previous: PreviousSteps;
};

/** A role that is through and waits for the workflow to yield it. */
export type PendingStep = {
  key: StepKey;
  role: string;
  agent: string;
  startedAt: number;
  /** Content, casRef texts and what the agent did; written in the commit. */
  prepared: Prepared[];
  /** The session among them; null when the agent told nothing of what it did. */
  session: Hash | null;
  usage: Usage | null;
  /** How a script ended; quoted when its status leads nowhere. */
  outcome: { exitCode: number; noise: string } | null;
};
