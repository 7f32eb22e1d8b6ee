import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chain } from '../support/workflows.js';

/** A workflow whose steps each wait to be let go, so that a test decides what has happened. */
export type GatedWorkflow = {
  yaml: string;
  /** Lets step `n` come to its end. */
  letGo: (n: number) => void;
};

/** A chain of `length` steps; each says `step <n> begins`, waits, and says `step <n> ends`. Not for two threads at a time. */
export function gatedChain(directory: string, name: string, length: number): GatedWorkflow {
  const gate = (n: number) => join(directory, `${name}-${n}`);
  const script = (n: number) =>
    `echo "step ${n} begins"; until [ -e "${gate(n)}" ]; do sleep 0.05; done; echo "step ${n} ends"`;
  return {
    yaml: chain(name, length, script),
    letGo: (n) => writeFileSync(gate(n), ''),
  };
}

/** How long one of the steps of `slowScript` runs unless it is killed; no test waits for it. */
const FOREVER_S = 600;

/** A script that works until somebody ends it. */
export const slowScript = (n: number): string => `echo "step ${n} begins"; sleep ${FOREVER_S}`;
