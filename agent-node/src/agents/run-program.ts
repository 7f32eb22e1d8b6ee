import { constants } from 'node:os';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import { type ProcessEnd, runProcess, stepMarker } from '../process/index.js';
import { SIGNAL_EXIT_BASE } from './limits.js';
import type { AgentTask } from './types.js';

export type Program = {
  argv: readonly [string, ...string[]];
  /** Whole environment; the task's variables are added. */
  env: Readonly<Record<string, string | undefined>>;
  stdin: string | null;
  /** Between TERM and KILL, ms. */
  graceMs: number;
  onStdout: (chunk: Uint8Array) => void;
  onStderr: (chunk: Uint8Array) => void;
};

/** Runs an agent's program as a process of its step. Throws Problems only. */
export async function runProgram(task: AgentTask, program: Program): Promise<ProcessEnd> {
  try {
    return await runProcess({
      argv: program.argv,
      cwd: task.workspace,
      env: { ...program.env, ...task.env },
      stdin: program.stdin,
      marker: stepMarker(task.thread, task.seq, task.attempt),
      signal: task.signal,
      graceMs: program.graceMs,
      onStdout: program.onStdout,
      onStderr: program.onStderr,
      onSpawn: task.onProcess,
      onLeft: (pids) =>
        task.log(
          '7Q4XK2MN',
          `processes of role ${task.role} could not be ended: ${pids.join(', ')}`,
        ),
    });
  } catch (error) {
    if (task.signal.aborted && error === task.signal.reason) throw abortProblem(task.signal);
    throw error;
  }
}

/** Throws what the signal says, as a Problem. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortProblem(signal);
}

function abortProblem(signal: AbortSignal): Problem {
  const { reason } = signal;
  return isProblem(reason)
    ? reason
    : new Problem('cancelled', 'the step was cancelled', { cause: reason });
}

/** Exit code as a shell would give it; a signal counts as 128 + its number. */
export function shellExitCode(end: ProcessEnd): number {
  if (end.exitCode !== null) return end.exitCode;
  return SIGNAL_EXIT_BASE + (end.signalName === null ? 0 : constants.signals[end.signalName]);
}
