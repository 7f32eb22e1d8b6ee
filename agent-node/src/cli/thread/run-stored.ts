import { ensureWorker, getThread, killThread } from '../../executor/index.js';
import type { ThreadRow } from '../../store/index.js';
import { threadDetail } from '../../views/index.js';
import { askYesNo } from '../ask.js';
import type { StoreCommandInput } from '../run-command.js';
import { controlContext } from './control-context.js';
import { followThread } from './follow.js';
import { exitCodeOf, isAtRest, outcomeLines } from './outcome.js';

/** Says the id of a thread that was just stored, sees that it is run, and with `--wait` waits for it. Returns the exit code. */
export async function runStored(
  input: StoreCommandInput,
  { id, workerKey }: { id: string; workerKey: string },
  wait: boolean,
): Promise<number> {
  const { store, out, json } = input;
  const { program, limits } = controlContext(input);
  // One document with --json: that of the end when it is waited for.
  if (!json) out.line(id);
  else if (!wait) out.json({ threadId: id });
  await ensureWorker(store, workerKey, program, limits);
  if (wait) return waitForEnd(input, id);
  hint(input, `watch it with: uwf live ${id}`);
  return 0;
}

/** Until the thread is at rest. Returns the exit code. */
async function waitForEnd(input: StoreCommandInput, id: string): Promise<number> {
  const { store, out, err, json, clock, signal } = input;
  const control = controlContext(input);
  let last = await followThread({
    store,
    id,
    clock,
    limits: control.limits,
    signal,
    onEvent: () => undefined,
    onStranded: ({ worker }) => ensureWorker(store, worker, control.program, control.limits),
  });
  if (!isAtRest(last)) {
    if (!(await wantsKill(input, last))) {
      err.line(`thread ${id} goes on; watch it with: uwf live ${id}`);
      return 0;
    }
    last = await killThread(control, id);
  }
  if (json) out.json(await threadDetail(store, getThread(store, id)));
  else for (const line of outcomeLines(last, out.colors)) out.line(line);
  hint(input, `see what happened with: uwf thread show ${id}`);
  return exitCodeOf(last);
}

/** What to do next, for a person only: never into a pipe or a log. */
function hint({ err, json }: StoreCommandInput, text: string): void {
  if (err.isTTY && !json) err.line(err.colors.dim(text));
}

/** Ctrl-C while waiting: on a terminal it is a question, elsewhere it only ends the waiting. */
async function wantsKill({ stdin, err }: StoreCommandInput, thread: ThreadRow): Promise<boolean> {
  if (stdin.isTTY !== true || !err.isTTY) return false;
  return askYesNo(`thread ${thread.id} is ${thread.status}. Kill it?`);
}
