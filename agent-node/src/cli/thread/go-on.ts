import type { Command } from 'commander';
import { resumeThread, retryThread } from '../../executor/index.js';
import type { CliContext } from '../context.js';
import { parseThreadId } from '../ids.js';
import { command, type Options, type StoreCommandInput } from '../run-command.js';
import { controlContext } from './control-context.js';
import { readRaisedLimits, withRaisedLimits } from './raised-limits.js';
import { reportSent } from './report-sent.js';
import { waitForEnd, withWait } from './wait-for-end.js';

/** `thread resume`: a paused or interrupted thread goes on. */
export function registerResume(resume: Command, context: CliContext): void {
  withWait(withRaisedLimits(resume)).action(
    command(context, async (input, args, options) => {
      const id = parseThreadId(input.store, args[0] ?? '');
      const raise = readRaisedLimits(options);
      await resumeThread(controlContext(input), id, { retry: false, raise });
      return sent(input, id, 'resume', options);
    }),
  );
}

/** `thread retry`: a failed thread goes on with its failed step. */
export function registerRetry(retry: Command, context: CliContext): void {
  withWait(withRaisedLimits(retry)).action(
    command(context, async (input, args, options) => {
      const id = parseThreadId(input.store, args[0] ?? '');
      await retryThread(controlContext(input), id, readRaisedLimits(options));
      return sent(input, id, 'retry', options);
    }),
  );
}

/** Returns the exit code. */
async function sent(
  input: StoreCommandInput,
  id: string,
  verb: string,
  { wait }: Options,
): Promise<number> {
  // One document with --json: that of the end when it is waited for.
  if (wait !== true || !input.json) reportSent(input, id, `${verb} sent for thread ${id}`);
  return wait === true ? waitForEnd(input, id) : 0;
}
