import { END_GRACE_MS } from '../process/index.js';
import { runProgram, shellExitCode } from './run-program.js';
import type { Agent } from './types.js';

export type ScriptAgentOptions = {
  /** What scripts inherit; this process's environment unless given. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Between TERM and KILL, ms. */
  killGraceMs?: number;
};

/**
 * A role with a `run:` script: `/bin/sh` runs it in the workspace with the Task on stdin. Its exit code is part of the
 * answer, not a failure, and an empty answer is one too. Throws agent-not-found, agent-failed, invalid-workspace when it
 * cannot be started.
 */
export function createScriptAgent(script: string, options: ScriptAgentOptions = {}): Agent {
  return {
    kind: 'run',
    name: 'run',
    run: async (task) => {
      const end = await runProgram(task, {
        argv: ['/bin/sh', '-c', script],
        env: options.environment ?? process.env,
        stdin: task.prompt,
        graceMs: options.killGraceMs ?? END_GRACE_MS,
        onStdout: task.onOutput,
        onStderr: task.onNoise,
      });
      return { exitCode: shellExitCode(end), usage: null, sessionId: null, trace: null };
    },
  };
}
