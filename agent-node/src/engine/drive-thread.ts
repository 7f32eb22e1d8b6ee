import { isProblem, Problem } from '@uncaged/protocol/problem';
import type { RoleOutput, WorkflowResult } from '@uncaged/protocol/workflow';
import type { Settlement, ThreadRow } from '../store/index.js';
import { commitStep } from './commit-step.js';
import type { EngineHost, ThreadControl } from './host.js';
import { createRoleRunner } from './run-role.js';
import { PauseThread } from './stop.js';
import { createTaskFiles } from './task-files.js';
import { loadThreadContext } from './thread-context.js';
import type { LoadedWorkflow } from './types.js';
import type { PendingStep } from './work.js';

/**
 * Drives one thread from where its chain ends: moderator → agent → extract → commit, until the end, a pause, or a failure.
 * Returns how the owner has to settle it; null when another owner has it by now and nothing may be written.
 */
export async function driveThread(
  host: EngineHost,
  thread: ThreadRow,
  workflow: LoadedWorkflow,
  control: ThreadControl,
): Promise<Settlement | null> {
  const startedAt = host.clock();
  const files = createTaskFiles(host.store.root, thread.id);
  let outcome: PendingStep['outcome'] = null;
  try {
    const context = loadThreadContext(host.store, thread);
    const roles = createRoleRunner({ host, thread, workflow, control, context, files });
    const generator = workflow.run(context, {
      cas: {
        put: (text) => host.store.enqueue('normal', () => host.store.nodes.putText(text)),
        get: async (hash) => (host.store.nodes.has(hash) ? host.store.nodes.readText(hash) : null),
      },
      signal: control.signal,
      log: host.log,
      runRole: roles.runRole,
    });
    for (;;) {
      const isPaused = control.pauseRequested();
      control.signal.throwIfAborted();
      if (isPaused || mustStopHere(thread, workflow, context.steps.length))
        return { status: 'paused', reason: 'user' };
      const next = await orAborted(nextOf(generator), control.signal, roles.settled);
      const stop = roles.stopped();
      if (stop !== null) throw stop;
      if (next.done === true) return ended(next.value, startedAt, host.clock());
      const pending = roles.takePending();
      await commitStep({ host, thread, context, output: next.value, pending });
      outcome = pending?.outcome ?? null;
    }
  } catch (error) {
    return settlementOf(withOutcome(error, outcome), startedAt, host);
  } finally {
    files.remove();
  }
}

/**
 * Where a thread is to stop, `runRole` says so, and the workflow may still come to its end. Code of a bundle need not call
 * `runRole` for a step: it is not asked for one more.
 */
function mustStopHere({ options }: ThreadRow, { definition }: LoadedWorkflow, steps: number) {
  return definition === null && options.stopAt !== null && steps >= options.stopAt;
}

/** Workflow code that throws something else than a Problem is at fault itself. */
async function nextOf(
  generator: AsyncGenerator<RoleOutput, WorkflowResult, void>,
): Promise<IteratorResult<RoleOutput, WorkflowResult>> {
  try {
    return await generator.next();
  } catch (error) {
    if (error instanceof Problem || error instanceof PauseThread) throw error;
    const text = error instanceof Error ? error.message : String(error);
    throw new Problem('bundle-failed', `the workflow's code threw: ${text}`, { cause: error });
  }
}

/** Workflow code may not listen to the signal; a role in flight has to end its processes before anything is settled. */
async function orAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  settled: () => Promise<void>,
): Promise<T> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    await settled();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Where a script's status leads nowhere, how the script ended is what the reader needs. */
function withOutcome(error: unknown, outcome: PendingStep['outcome']): unknown {
  if (!isProblem(error, 'no-route') || outcome === null) return error;
  const said =
    outcome.noise === ''
      ? 'it printed nothing on stderr'
      : `its stderr ended with:\n${outcome.noise}`;
  return new Problem(
    'no-route',
    `${error.message}\nThe script exited with ${outcome.exitCode}; ${said}`,
    { cause: error },
  );
}

function ended(result: WorkflowResult, startedAt: number, now: number): Settlement {
  const { returnCode, summary } = result;
  return {
    status: 'ended',
    end: {
      returnCode,
      summary: summary.toWellFormed(),
      ownSummary: null,
      startedAt,
      // The clock may have been set back meanwhile.
      timestamp: Math.max(now, startedAt),
    },
  };
}

function settlementOf(error: unknown, startedAt: number, host: EngineHost): Settlement | null {
  if (error instanceof PauseThread) return { status: 'paused', reason: error.reason };
  if (isProblem(error, 'lease-lost')) return null;
  if (isProblem(error, 'cancelled'))
    return ended({ returnCode: 130, summary: 'killed' }, startedAt, host.clock());
  if (error instanceof Problem)
    return { status: 'failed', problem: { code: error.code, message: error.message } };
  host.log('7QX2M9KD', `internal error: ${error instanceof Error ? error.stack : String(error)}`);
  const message = error instanceof Error ? error.message : String(error);
  return { status: 'failed', problem: { code: 'internal', message: `internal error: ${message}` } };
}
