import { createContext, Script } from 'node:vm';
import { Problem, type ProblemCode } from '@uncaged/protocol/problem';
import { REGEX_MAX_MS } from './limits.js';

/**
 * Regular expressions of users that give up: one that backtracks without end would stand in the way of every thread of
 * the worker. `exec` (and so `test`) takes about 0.1 ms more than a plain one's, and throws a Problem of this code after
 * REGEX_MAX_MS; `owner` is what its text calls the place of the pattern.
 */
export function createRegexEngine(code: ProblemCode, owner: string): RegExpConstructor {
  const script = new Script('exec.call(regex, text)');
  const scope: Record<string, unknown> = Object.create(null);
  scope.exec = RegExp.prototype.exec;
  // About 1 ms, which most workflows never need.
  let context: ReturnType<typeof createContext> | null = null;

  return class extends RegExp {
    override exec(text: string): RegExpExecArray | null {
      context ??= createContext(scope);
      scope.regex = this;
      scope.text = text;
      try {
        return script.runInContext(context, { timeout: REGEX_MAX_MS });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        throw new Problem(
          code,
          `The regular expression ${this} of ${owner} takes more than ${REGEX_MAX_MS} ms on a text of ${text.length} characters. Avoid repetitions within repetitions, such as (a+)+.`,
          { cause: error },
        );
      }
    }
  } as RegExpConstructor;
}
