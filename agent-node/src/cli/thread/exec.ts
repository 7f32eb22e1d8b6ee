import type { Command } from 'commander';
import { ensureWorker, resumeThread } from '../../executor/index.js';
import type { Store, ThreadRow } from '../../store/index.js';
import { stepJson, threadDetail } from '../../views/index.js';
import type { CliContext } from '../context.js';
import { parseThreadId } from '../ids.js';
import { command, type Options, type StoreCommandInput } from '../run-command.js';
import { controlContext } from './control-context.js';
import { followThread } from './follow.js';
import { createLivePrinter } from './live-printer.js';
import { exitCodeOf, isAtRest, outcomeLines } from './outcome.js';
import { readRaisedLimits, withRaisedLimits } from './raised-limits.js';

/**
 * `thread exec`: one step (moderator, agent, extract, commit) of a thread that is paused, interrupted, or failed and
 * retryable; then it is paused again, or over when nothing follows. The step is made by a worker, as any other: it goes on
 * when this command is ended.
 */
export function register(exec: Command, context: CliContext): void {
  withRaisedLimits(exec).action(
    command(context, (input, args, options) =>
      makeStep(input, parseThreadId(input.store, args[0] ?? ''), options),
    ),
  );
}

async function makeStep(input: StoreCommandInput, id: string, options: Options): Promise<number> {
  const { store, out, err, json, clock, signal } = input;
  const control = controlContext(input);
  const after = store.events.lastSeq();
  await resumeThread(control, id, {
    retry: true,
    raise: readRaisedLimits(options),
    stopAfter: 1,
  });
  const printer = createLivePrinter(store, out, null, clock);
  const last = await followThread({
    store,
    id,
    clock,
    limits: control.limits,
    signal,
    after,
    onEvent: (event) => {
      // That it was queued and goes on is what the command is for.
      if (!json && event.type.startsWith('step.')) printer.event(event);
    },
    onIdle: (row) => {
      if (!json) printer.idle(row);
    },
    onStranded: ({ worker }) => ensureWorker(store, worker, control.program, control.limits),
  });
  printer.clear();
  if (!isAtRest(last)) {
    err.line(`stopped watching; the step of thread ${id} goes on`);
    return 0;
  }
  if (json) out.json(await outcomeJson(store, last));
  else for (const line of outcomeLines(last, out.colors)) out.line(line);
  return exitCodeOf(last);
}

/** The thread, and the step that was made; null when it came to its end, or failed, without one. */
async function outcomeJson(store: Store, row: ThreadRow) {
  const made = store.steps
    .list(row.id)
    .find(({ seq, status }) => status === 'committed' && seq === row.options.stopAt);
  return {
    step: made === undefined ? null : stepJson(store, made),
    thread: await threadDetail(store, row),
  };
}
