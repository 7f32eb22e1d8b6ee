import { ensureWorker, type WorkerProcess } from '../../executor/index.js';
import type { StoreCommandInput } from '../run-command.js';
import { controlContext } from './control-context.js';
import { hint, waitForEnd } from './wait-for-end.js';

/**
 * Says the id of a thread that was just stored, sees that it is run, and with `--wait` waits for it. Returns the exit code. `early`:
 * see `startEarly`.
 */
export async function runStored(
  input: StoreCommandInput,
  { id, workerKey }: { id: string; workerKey: string },
  { wait, early = null }: { wait: boolean; early?: WorkerProcess | null },
): Promise<number> {
  const { store, out, json } = input;
  const { program, limits } = controlContext(input);
  // One document with --json: that of the end when it is waited for.
  if (!json) out.line(id);
  else if (!wait) out.json({ threadId: id });
  await ensureWorker(store, workerKey, program, limits, early);
  if (wait) return waitForEnd(input, id);
  hint(input, `watch it with: uwf live ${id}`);
  return 0;
}
