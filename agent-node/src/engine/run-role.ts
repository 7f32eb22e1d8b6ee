import { MAX_STEPS_DEFAULT } from '@uncaged/protocol/limits';
import { Problem } from '@uncaged/protocol/problem';
import type { RunRoleRequest, RunRoleResult } from '@uncaged/protocol/workflow';
import { createPreviousSteps } from '../extract/index.js';
import type { PauseReason } from '../store/index.js';
import { runAttempt } from './attempt.js';
import { forkTask } from './fork-task.js';
import { createLoopGuard } from './loop-guard.js';
import { backOff, failedAttempts, retryDelayMs } from './retry-policy.js';
import { PauseThread } from './stop.js';
import type { PendingStep, ThreadWork } from './work.js';

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
export function createRoleRunner(input: ThreadWork): RoleRunner {
  const { host, thread, context } = input;
  const visits = new Map<string, number>();
  const previous = createPreviousSteps();
  const { definition } = input.workflow;
  const guard = createLoopGuard((role) => (definition?.roles[role]?.maxVisits ?? null) !== null);
  // Somebody let it go on from there.
  const guardFrom = Math.max(thread.options.marks?.loopFrom ?? 0, thread.forkedSeq ?? 0);
  let counted = 0;
  let pending: PendingStep | null = null;
  let stop: PauseThread | null = null;
  let inFlight: Promise<unknown> | null = null;
  const forked = { task: forkTask(host.store, thread), steps: context.steps.length };

  /** A fork's own task, for the first step behind the fork only. */
  function withForkTask(request: RunRoleRequest): RunRoleRequest {
    const isFirst = forked.task !== null && context.steps.length === forked.steps;
    return isFirst ? { ...request, task: forked.task! } : request;
  }

  /** Takes in what was committed since the last call: the work of one step, however many there are. */
  function count(): void {
    for (; counted < context.steps.length; counted++) {
      const step = context.steps[counted]!;
      visits.set(step.role, (visits.get(step.role) ?? 0) + 1);
      if (counted >= guardFrom) guard.add(step);
      if (counted > 0) previous.append(context.steps[counted - 1]!);
    }
  }

  async function run(request: RunRoleRequest): Promise<RunRoleResult> {
    input.control.signal.throwIfAborted();
    count();
    const reason =
      limitReached(input, request.role, visits.get(request.role) ?? 0) ??
      (guard.isLoop(request.role) ? 'loop' : null);
    if (reason !== null) throw new PauseThread(reason);
    const done = await attempts(request, context.steps.length + 1);
    pending = done.pending;
    return done.result;
  }

  /** Attempts at one step until one is through, or what it failed with is for good. */
  async function attempts(request: RunRoleRequest, seq: number): ReturnType<typeof runAttempt> {
    const retry = input.workflow.definition?.roles[request.role]?.retry ?? null;
    for (;;) {
      const attempt = host.store.steps.attempts(thread.id, seq) + 1;
      try {
        return await runAttempt({
          ...input,
          request,
          key: { thread: thread.id, seq, attempt },
          visit: visits.get(request.role) ?? 0,
          previous,
        });
      } catch (error) {
        const failed = retry === null ? 0 : failedAttempts(host.store, thread, seq);
        const waitMs = retryDelayMs(retry, failed, error, host.random);
        if (waitMs === null) throw error;
        host.log(
          '3V7RMZ0K',
          `step ${seq} ${request.role}: attempt ${attempt} failed, next one in ${waitMs} ms`,
        );
        await backOff(input.control, waitMs);
      }
    }
  }

  return {
    runRole: async (request) => {
      if (inFlight !== null)
        throw new Problem(
          'bundle-failed',
          `runRole(${request.role}) was called while another role is running`,
        );
      const work = run(withForkTask(request));
      inFlight = work;
      try {
        return await work;
      } catch (error) {
        if (error instanceof PauseThread) stop = error;
        throw error;
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

function limitReached(
  { thread, workflow, context }: ThreadWork,
  role: string,
  visits: number,
): PauseReason | null {
  const { stopAt } = thread.options;
  if (stopAt !== null && context.steps.length >= stopAt) return 'user';
  const { definition } = workflow;
  const maxSteps = thread.options.maxSteps ?? definition?.maxSteps ?? MAX_STEPS_DEFAULT;
  if (context.steps.length >= maxSteps) return 'max-steps';
  const maxVisits = thread.options.maxVisits ?? definition?.roles[role]?.maxVisits ?? null;
  return maxVisits !== null && visits >= maxVisits ? 'max-visits' : null;
}
