import { fileURLToPath } from 'node:url';
import { type Measured, timeProgram } from './measure.js';

/** What a person starts; benches run as bundles in bench/dist/bundles. */
const UWF = fileURLToPath(new URL('../../../agent-node/bin/uwf.js', import.meta.url));
/** One start varies by a fifth; the median of seven by a few percent. */
export const STARTS_PER_ROUND = 7;

export const uwf = (...args: string[]): [string, ...string[]] => [process.execPath, UWF, ...args];

export const withStorage = (root: string): NodeJS.ProcessEnv => ({
  ...process.env,
  UNCAGED_WORKFLOW_STORAGE_ROOT: root,
});

/** Baseline of everything that starts a command: Node itself, doing nothing. */
export async function emptyNode(folder: string): Promise<Measured> {
  return timeProgram(STARTS_PER_ROUND, [process.execPath, '-e', '0'], {
    cwd: folder,
    env: process.env,
  });
}
