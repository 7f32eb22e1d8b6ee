import { JSON_MAX_DEPTH } from '@uncaged/protocol/limits';
import type { z } from 'zod';
import { invalidPack } from './format.js';
import { QUOTED_MAX_CHARACTERS } from './limits.js';
import type { PackStepRow, PackThread } from './rows.js';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** JSON in UTF-8. Throws invalid-pack. */
export function parseJson(bytes: Uint8Array, what: string, at: number): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (error) {
    const why =
      error instanceof RangeError
        ? `is nested deeper than ${JSON_MAX_DEPTH} levels`
        : 'is not JSON';
    throw invalidPack(`${what} ${why}`, at, error);
  }
}

/** JSON that must be as `schema` says. Throws invalid-pack that names the place in it. */
export function parseRows<S extends z.ZodType>(
  schema: S,
  bytes: Uint8Array,
  what: string,
  at: number,
): z.output<S> {
  const result = schema.safeParse(parseJson(bytes, what, at));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const place = issue?.path.map(String).join('.').slice(0, QUOTED_MAX_CHARACTERS) || 'its top';
  throw invalidPack(
    `${what} is not as it should be, at ${place}: ${issue?.message.slice(0, QUOTED_MAX_CHARACTERS * 2)}`,
    at,
    result.error,
  );
}

/** Adds attempts to a thread; they come in order, and a state belongs to those that are committed. Throws invalid-pack. */
export function addSteps(
  { row, steps }: PackThread,
  more: readonly PackStepRow[],
  at: number,
): void {
  for (const step of more) {
    const last = steps.at(-1);
    const follows =
      last === undefined ||
      step.seq > last.seq ||
      (step.seq === last.seq && step.attempt > last.attempt && last.status !== 'committed');
    if (!follows)
      throw invalidPack(
        `attempt ${step.attempt} at step ${step.seq} of thread ${row.id} is not in its place`,
        at,
      );
    if ((step.hash !== null) !== (step.status === 'committed'))
      throw invalidPack(
        `attempt ${step.attempt} at step ${step.seq} of thread ${row.id} is ${step.status}, which does not go with its state`,
        at,
      );
    if (step.seq > row.steps + 1 || (step.seq > row.steps && step.status === 'committed'))
      throw invalidPack(
        `thread ${row.id} has a step ${step.seq}, but says to have ${row.steps}`,
        at,
      );
    steps.push(step);
  }
}
