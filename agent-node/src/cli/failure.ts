import { exitCodeOfStatus, isProblem, Problem, toProblemJson } from '@uncaged/protocol/problem';
import type { Environment } from './context.js';
import { jsonText, type OutputStream, renderTerminalText } from './output/index.js';

const EXIT_FAILURE = 1;

/**
 * The one place that turns a failure into text and exit code. Problems say themselves what to do; anything else is a bug:
 * a short text, the stack only with UWF_DEBUG. With `json` the problem document (RFC 9457) goes to stderr, one line.
 */
export function reportFailure(
  error: unknown,
  { stderr, env, json }: { stderr: OutputStream; env: Environment; json: boolean },
): number {
  const problem = isProblem(error) ? error : unexpected(error);
  if (json) stderr.write(`${jsonText(toProblemJson(problem))}\n`);
  else stderr.write(`error: ${renderTerminalText(problem.message)}\n`);
  if (env.UWF_DEBUG) stderr.write(`${renderTerminalText(stackOf(error))}\n`);
  return isProblem(error) ? exitCodeOfStatus(problem.status) : EXIT_FAILURE;
}

function unexpected(error: unknown): Problem {
  const what = error instanceof Error ? error.message : String(error);
  return new Problem(
    'internal',
    `unexpected: ${what}\nThis is a bug in uwf; UWF_DEBUG=1 shows where it is.`,
    {
      cause: error,
    },
  );
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
