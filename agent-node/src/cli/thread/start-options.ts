import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import type { ThreadOptions } from '../../store/index.js';
import type { Options } from '../run-command.js';

/** Help of `--stop-after`, for who starts a thread in whatever way. */
export const STOP_AFTER =
  'make so many steps and stop, which is exit code 0 with --wait; `thread exec` makes the next one';

/** Options of `run`; the same names everywhere a thread is started. */
export function withStartOptions(command: Command): Command {
  return command
    .option('-p, --prompt <text>', 'what the thread is to do; "-" reads it from stdin')
    .option('-w, --workspace <dir>', 'directory to work in; default the current one')
    .option(
      '-i, --input <name=value>',
      'one input of the workflow; value as JSON, else as text; repeatable',
      collect,
    )
    .option('--inputs <json>', 'all inputs as a JSON object, or @file')
    .option('--agent <role=name>', 'who carries a role out; repeatable', collect)
    .option('--max-steps <n>', 'pause after so many steps')
    .option('--max-rounds <n>', 'the same as --max-steps')
    .option('--stop-after <n>', STOP_AFTER);
}

export function collect(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

/** Throws invalid-argument. */
export function readInputs(options: Options, cwd: string): Record<string, unknown> | null {
  const pairs = (options.input ?? []) as string[];
  if (options.inputs === undefined && pairs.length === 0) return null;
  const whole = options.inputs === undefined ? {} : parseObject(String(options.inputs), cwd);
  return Object.fromEntries([...Object.entries(whole), ...pairs.map(parsePair)]);
}

function parseObject(text: string, cwd: string): Record<string, unknown> {
  const json = text.startsWith('@') ? readText(resolve(cwd, text.slice(1))) : text;
  const value = parseJson(json);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new Problem(
    'invalid-argument',
    '--inputs takes a JSON object such as {"name": "value"}, or @file',
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Problem('file-not-found', `the file of --inputs cannot be read: ${path}`, {
      cause: error,
    });
  }
}

function parsePair(pair: string): [string, unknown] {
  const at = pair.indexOf('=');
  if (at < 1)
    throw new Problem(
      'invalid-argument',
      `--input takes name=value, not ${JSON.stringify(pair.slice(0, 40))}`,
    );
  const text = pair.slice(at + 1);
  return [pair.slice(0, at), parseJson(text) ?? text];
}

/** Undefined when it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Throws invalid-argument. */
export function readThreadOptions(options: Options): ThreadOptions {
  const agents = Object.fromEntries(
    ((options.agent ?? []) as string[]).map((pair) => {
      const [role, name, ...rest] = pair.split('=');
      if (!role || !name || rest.length > 0)
        throw new Problem(
          'invalid-argument',
          `--agent takes role=name, not ${JSON.stringify(pair.slice(0, 40))}`,
        );
      return [role, name];
    }),
  );
  return {
    agents,
    maxSteps: readCount(options.maxSteps ?? options.maxRounds, '--max-steps'),
    maxVisits: null,
    budget: null,
    stopAt: readCount(options.stopAfter, '--stop-after'),
  };
}

/** A whole number from 1 on; null when not given. Throws invalid-argument. */
export function readCount(value: unknown, option: string): number | null {
  if (value === undefined) return null;
  const count = Number(value);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new Problem(
    'invalid-argument',
    `${option} takes a whole number from 1 on, not ${JSON.stringify(String(value).slice(0, 40))}`,
  );
}
