import { MAX_STEPS_DEFAULT } from '@uncaged/protocol/limits';
import type { Usage } from '@uncaged/protocol/cas';
import { Problem } from '@uncaged/protocol/problem';
import type { RunRoleRequest, RunRoleResult } from '@uncaged/protocol/workflow';
import type { PauseReason, Prepared, StepKey, ThreadRow } from '../store/index.js';
import { runAttempt } from './attempt.js';
import type { EngineHost, ThreadControl } from './host.js';
import { PauseThread } from './stop.js';
import type { TaskFiles } from './task-files.js';
import type { GrowingContext } from './thread-context.js';
import type { LoadedWorkflow } from './types.js';

/** A role that is through and waits for the workflow to yield it. */
export type PendingStep = {
  key: StepKey;
  role: string;
  agent: string;
  startedAt: number;
  /** Content and casRef texts, written in the commit. */
  prepared: Prepared[];
  usage: Usage | null;
  /** How a script ended; quoted when its status leads nowhere. */
  outcome: { exitCode: number; noise: string } | null;
};

export type RoleRunnerInput = {
  host: EngineHost;
  thread: ThreadRow;
  workflow: LoadedWorkflow;
  control: ThreadControl;
  context: GrowingContext;
  files: TaskFiles;
};

export type RoleRunner = {
  runRole: (request: RunRoleRequest) => Promise<RunRoleResult>;
  /** What the last `runRole` left to commit; once. */
  takePending: () => PendingStep | null;
  /** Set when the thread must pause, whatever workflow code made of the exception. */
  stopped: () => PauseThread | null;
  /** Resolves when no role is in flight. */
  settled: () => Promise<void>;
};

/** `runtime.runRole` of one thread: limits, attempts, one role at a time. */
export function createRoleRunner(input: RoleRunnerInput): RoleRunner {
  const { host, thread, context } = input;
  const visits = new Map<string, number>();
  for (const step of context.steps) visits.set(step.role, (visits.get(step.role) ?? 0) + 1);
  let countedSteps = context.steps.length;
  let pending: PendingStep | null = null;
  let stop: PauseThread | null = null;
  let inFlight: Promise<unknown> | null = null;

  /** Counts what was committed since the last call: constant work a step. */
  function countVisits(): void {
    for (const { role } of context.steps.slice(countedSteps)) visits.set(role, (visits.get(role) ?? 0) + 1);
    countedSteps = context.steps.length;
  }

  async function run(request: RunRoleRequest): Promise<RunRoleResult> {
    input.control.signal.throwIfAborted();
    countVisits();
    const reason = limitReached(input, request.role, visits.get(request.role) ?? 0);
    if (reason !== null) {
      stop = new PauseThread(reason);
      throw stop;
    }
    const seq = context.steps.length + 1;
    const attempt = host.store.steps.attempts(thread.id, seq) + 1;
    const done = await runAttempt({
      ...input,
      request,
      key: { thread: thread.id, seq, attempt },
      visit: visits.get(request.role) ?? 0,
    });
    pending = done.pending;
    return done.result;
  }

  return {
    runRole: async (request) => {
      if (inFlight !== null)
        throw new Problem('bundle-failed', `runRole(${request.role}) was called while another role is running`);
      const work = run(request);
      inFlight = work;
      try {
        return await work;
      } finally {
        inFlight = null;
      }
    },
    takePending: () => {
      const step = pending;
      pending = null;
      return step;
    },
    stopped: () => stop,
    settled: async () => {
      try {
        await inFlight;
      } catch (error) {
        // The driver has this very failure, or the abort that caused it, in hand.
        if (!(error instanceof Problem || error instanceof PauseThread)) throw error;
      }
    },
  };
}

function limitReached({ thread, workflow, context }: RoleRunnerInput, role: string, visits: number): PauseReason | null {
  const { definition } = workflow;
  const maxSteps = thread.options.maxSteps ?? definition?.maxSteps ?? MAX_STEPS_DEFAULT;
  if (context.steps.length >= maxSteps) return 'max-steps';
  const maxVisits = thread.options.maxVisits ?? definition?.roles[role]?.maxVisits ?? null;
  return maxVisits !== null && visits >= maxVisits ? 'max-visits' : null;
}
