import { readFileSync } from 'node:fs';
import type { MetaOf } from './metas.js';

/** A committed step, as a line of the engine's steps file has it. */
export type Step = {
  role: string;
  /** Of the step itself: `uwf step show <hash>` shows its whole answer. */
  hash: string;
  meta: { $status: string; [field: string]: unknown };
};

/**
 * Reads all steps before this one, oldest first. `path` is UWF_STEPS_FILE. Throws when the variable is not set, the file
 * cannot be read, or a line of it is no step.
 */
export function readSteps(path: string | undefined): Step[] {
  if (path === undefined || path === '') {
    throw new Error(
      'UWF_STEPS_FILE is not set, so there are no earlier steps to go by; start this with `uwf run demo`',
    );
  }
  const lines = textOf(path).split('\n');
  // Each line ends with a line end; one that does not was cut while it was written.
  const rest = lines.pop();
  if (rest !== '') throw damaged(path, lines.length + 1, 'it has no end');
  return lines.map((line, index) => parseStep(line, path, index + 1));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`UWF_STEPS_FILE cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function parseStep(line: string, path: string, number: number): Step {
  let step: unknown;
  try {
    step = JSON.parse(line);
  } catch (error) {
    throw damaged(path, number, messageOf(error));
  }
  if (!isStep(step)) throw damaged(path, number, 'it lacks role, hash or meta');
  return step;
}

function isStep(value: unknown): value is Step {
  if (!isObject(value)) return false;
  const { role, hash, meta } = value;
  return (
    typeof role === 'string' &&
    typeof hash === 'string' &&
    isObject(meta) &&
    typeof meta.$status === 'string'
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function damaged(path: string, line: number, why: string): Error {
  return new Error(`line ${line} of UWF_STEPS_FILE (${path}) is damaged: ${why}`);
}

/**
 * The newest meta with this status, which names the role as well. The engine has checked it against the role's schema
 * before it was committed, so its shape is not checked again.
 */
export function latestMeta<S extends keyof MetaOf>(
  steps: readonly Step[],
  status: S,
): MetaOf[S] | undefined {
  return metasOf(steps, status).at(-1);
}

/** All metas with this status, oldest first. */
export function metasOf<S extends keyof MetaOf>(steps: readonly Step[], status: S): MetaOf[S][] {
  return steps
    .map(({ meta }) => meta)
    .filter((meta): meta is Step['meta'] & MetaOf[S] => meta.$status === status);
}
