import type { Command } from 'commander';
import { ensureWorker, getThread, killThread } from '../../executor/index.js';
import type { ThreadRow } from '../../store/index.js';
import { threadDetail } from '../../views/index.js';
import { askYesNo } from '../ask.js';
import type { StoreCommandInput } from '../run-command.js';
import { controlContext } from './control-context.js';
import { followThread } from './follow.js';
import { exitCodeOf, isAtRest, outcomeLines } from './outcome.js';

/** For every command that lets a thread run; read it as `options.wait === true`. */
export function withWait(command: Command): Command {
  return command.option(
    '--wait',
    'wait until it rests; the exit code tells how: 0 completed, 1 failed, paused or interrupted, 130 cancelled',
  );
}

/** Until the thread is at rest; says how it ended. Returns the exit code. Throws thread-not-found. */
export async function waitForEnd(input: StoreCommandInput, id: string): Promise<number> {
  const { store, out, err, json, clock, signal } = input;
  const control = controlContext(input);
  let last = await followThread({
    store,
    id,
    clock,
    limits: control.limits,
    signal,
    // Nobody is shown what happens on the way.
    after: store.events.lastSeq(),
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
export function hint({ err, json }: StoreCommandInput, text: string): void {
  if (err.isTTY && !json) err.line(err.colors.dim(text));
}

/** Ctrl-C while waiting: on a terminal it is a question, elsewhere it only ends the waiting. */
async function wantsKill({ stdin, err }: StoreCommandInput, thread: ThreadRow): Promise<boolean> {
  if (stdin.isTTY !== true || !err.isTTY) return false;
  return askYesNo(`thread ${thread.id} is ${thread.status}. Kill it?`);
}
