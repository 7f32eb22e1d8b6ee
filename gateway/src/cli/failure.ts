import { exitCodeOfStatus, isProblem, Problem, toProblemJson } from '@uncaged/protocol/problem';
import type { CliContext } from './context.js';

const EXIT_FAILURE = 1;

/** What a terminal would obey, or show in another order, instead of showing it. Line ends and tabs are ours. */
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * Prints a failure on stderr and returns the exit code. Problems say themselves what to do; anything else is a bug: a short text,
 * the stack only with UWF_DEBUG. With `json` the problem document (RFC 9457), one line.
 */
export function reportFailure(
  error: unknown,
  { stderr, env, json }: Pick<CliContext, 'stderr' | 'env'> & { json: boolean },
): number {
  const problem = isProblem(error) ? error : unexpected(error);
  if (json) stderr.write(`${JSON.stringify(toProblemJson(problem))}\n`);
  else stderr.write(`error: ${showControls(problem.message)}\n`);
  if (env.UWF_DEBUG) stderr.write(`${showControls(stackOf(error))}\n`);
  return isProblem(error) ? exitCodeOfStatus(problem.status) : EXIT_FAILURE;
}

function unexpected(error: unknown): Problem {
  const what = error instanceof Error ? error.message : String(error);
  return new Problem(
    'internal',
    `unexpected: ${what}\nThis is a bug in uwf-gateway; UWF_DEBUG=1 shows where it is.`,
    { cause: error },
  );
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

function showControls(text: string): string {
  return text.replace(CONTROL, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
