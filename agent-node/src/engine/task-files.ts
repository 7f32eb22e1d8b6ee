import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ThreadId } from '@uncaged/protocol/ids';
import type { Meta } from '@uncaged/protocol/workflow';
import { ENV_VALUE_MAX_BYTES } from './limits.js';

/**
 * What a `run:` script may read besides its Task: the previous meta and the inputs, as files always, as variables while
 * they are small. The files lie under the storage root, private, overwritten by each step and removed with the thread's run.
 */
export type TaskFiles = {
  write: (meta: Meta | null, inputs: Record<string, unknown> | null) => Record<string, string>;
  remove: () => void;
};

export function createTaskFiles(root: string, thread: ThreadId): TaskFiles {
  const directory = join(root, 'run', thread);
  return {
    write: (meta, inputs) => {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      return {
        ...provide('UWF_META', join(directory, 'meta.json'), meta),
        ...provide('UWF_INPUTS', join(directory, 'inputs.json'), inputs),
      };
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function provide(name: string, file: string, value: unknown): Record<string, string> {
  const json = JSON.stringify(value ?? {});
  writeFileSync(file, json, { mode: 0o600 });
  const small = Buffer.byteLength(json) <= ENV_VALUE_MAX_BYTES;
  return { [`${name}_FILE`]: file, ...(small ? { [name]: json } : {}) };
}
