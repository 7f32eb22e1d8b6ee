import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ThreadId } from '@uncaged/protocol/ids';
import type { Step, ThreadContext } from '@uncaged/protocol/workflow';
import { ENV_VALUE_MAX_BYTES } from './limits.js';

/**
 * What a `run:` script may read besides its Task: the previous meta and the inputs, as files always and as variables while
 * they are small, and all steps so far as lines of JSON. The files lie under the storage root, private, and go with the run.
 */
export type TaskFiles = {
  /** Brings the files up to date; returns the variables that name them. Work of one step, however long the thread is. */
  write: (context: ThreadContext) => Record<string, string>;
  remove: () => void;
};

export function createTaskFiles(root: string, thread: ThreadId): TaskFiles {
  const directory = join(root, 'run', thread);
  const stepsFile = join(directory, 'steps.jsonl');
  let written = 0;
  return {
    write: ({ start, steps }) => {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const lines = steps.slice(written).map(stepLine).join('');
      if (written === 0) writeFileSync(stepsFile, lines, { mode: 0o600 });
      else appendFileSync(stepsFile, lines);
      written = steps.length;
      return {
        ...provide('UWF_META', join(directory, 'meta.json'), steps.at(-1)?.meta ?? {}),
        ...provide('UWF_INPUTS', join(directory, 'inputs.json'), start.inputs ?? {}),
        UWF_STEPS_FILE: stepsFile,
      };
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function stepLine({ role, attempt, hash, contentHash, meta, timestamp }: Step): string {
  return `${JSON.stringify({ role, attempt, hash, contentHash, meta, timestamp })}\n`;
}

function provide(
  name: string,
  file: string,
  value: Record<string, unknown>,
): Record<string, string> {
  const json = JSON.stringify(value);
  writeFileSync(file, json, { mode: 0o600 });
  const small = Buffer.byteLength(json) <= ENV_VALUE_MAX_BYTES;
  return { [`${name}_FILE`]: file, ...(small ? { [name]: json } : {}) };
}
