import { PREVIOUS_STEPS_MAX_BYTES } from '@uncaged/protocol/limits';
import type { JsonObject } from './json-value.js';

export type PreviousStep = { role: string; meta: JsonObject };

/**
 * The metas of earlier steps as agents read them, kept step by step, so that a prompt costs the same after a thousand
 * steps as after ten. Of many steps the newest that fit in PREVIOUS_STEPS_MAX_BYTES are shown.
 */
export type PreviousSteps = {
  append: (step: PreviousStep) => void;
  /** Empty before the first step. */
  text: () => string;
};

export function createPreviousSteps(): PreviousSteps {
  const shown: { line: string; size: number }[] = [];
  let size = 0;
  let count = 0;
  let text: string | null = null;
  return {
    append: (step) => {
      count++;
      text = null;
      const line = lineOf(count, step);
      const lineSize = sizeOf(line);
      shown.push({ line, size: lineSize });
      size += lineSize;
      while (size > PREVIOUS_STEPS_MAX_BYTES) size -= shown.shift()?.size ?? size;
    },
    text: () => {
      text ??= join(
        count - shown.length,
        shown.map(({ line }) => line),
      );
      return text;
    },
  };
}

/** The same for steps at hand; looks only at those that fit. */
export function textOf(steps: readonly PreviousStep[]): string {
  const lines: string[] = [];
  let size = 0;
  for (let number = steps.length; number > 0; number--) {
    const step = steps[number - 1];
    if (step === undefined) break;
    const line = lineOf(number, step);
    size += sizeOf(line);
    if (size > PREVIOUS_STEPS_MAX_BYTES) break;
    lines.push(line);
  }
  return join(steps.length - lines.length, lines.reverse());
}

function lineOf(number: number, { role, meta }: PreviousStep): string {
  return `${number}. ${role}: ${JSON.stringify(meta)}`;
}

function sizeOf(line: string): number {
  return Buffer.byteLength(line) + 1;
}

function join(left: number, lines: readonly string[]): string {
  const note = left === 0 ? [] : [`(${left} earlier ${left === 1 ? 'step' : 'steps'} left out)`];
  return [...note, ...lines].join('\n');
}
