import { Problem } from '@uncaged/protocol/problem';
import type { ScriptedConfig } from './config.js';
import { throwIfAborted } from './run-program.js';
import { cleanTrace } from './trace.js';
import type { Agent } from './types.js';

/**
 * Gives prepared answers: for tests, demonstrations and dry runs of a graph. The nth visit of a role gets its nth one,
 * the last repeats; an answer may bring the trace and the usage that it stands for. Throws agent-failed for a role without answers, answer-empty for an empty text.
 */
export function createScriptedAgent(name: string, config: ScriptedConfig): Agent {
  const answers = new Map(Object.entries(config.answers));
  return {
    kind: 'scripted',
    name,
    run: async (task) => {
      throwIfAborted(task.signal);
      const known = answers.get(task.role) ?? [];
      const answer = known[Math.min(task.visit, known.length - 1)];
      if (answer === undefined)
        throw new Problem(
          'agent-failed',
          `agent ${name} has no answer for role ${task.role}, only for ${[...answers.keys()].join(', ') || 'none'}; add it under config.agents.${name}.answers`,
          { retryable: false },
        );
      const { text, usage, trace } = answer;
      if (text.trim() === '')
        throw new Problem(
          'answer-empty',
          `the answer of agent ${name} for role ${task.role}, visit ${task.visit}, is empty`,
          {
            retryable: false,
          },
        );
      task.onOutput(Buffer.from(text));
      const told = trace === null ? null : cleanTrace(trace, []);
      return { exitCode: null, usage, sessionId: null, trace: told };
    },
  };
}
