import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import { getThread, readLimits, threadLogFile } from '../executor/index.js';
import type { Store } from '../store/index.js';
import { threadDetail } from '../views/index.js';
import type { CliContext } from './context.js';
import { parseThreadId } from './ids.js';
import { withJson } from './program.js';
import { command, type Options } from './run-command.js';
import { createDebugLog } from './thread/debug-log.js';
import { eventWithStep } from './thread/event-with-step.js';
import { followThread } from './thread/follow.js';
import { createLivePrinter } from './thread/live-printer.js';
import { exitCodeOf, isAtRest, outcomeLines } from './thread/outcome.js';

export function register(live: Command, context: CliContext): void {
  withJson(live)
    .argument('[thread-id]', 'the thread to watch')
    .option('--latest', 'the newest thread')
    .option('--role <name>', 'show the steps of this role only')
    .option('--debug', 'show the debug log too')
    .option('--exit-zero', 'exit 0 however the thread ends')
    .action(
      command(context, async (input, args, options) => {
        const { store, out, json, signal, clock } = input;
        const limits = readLimits(input.env);
        const row = getThread(store, chooseThread(store, args, options));
        const role = typeof options.role === 'string' ? options.role : null;
        if (role === '') throw new Problem('invalid-argument', '--role needs the name of a role');
        const debug =
          options.debug === true && !json
            ? createDebugLog(threadLogFile(store.root, row.version, row.id), out)
            : null;
        const printer = createLivePrinter(store, out, role, clock);
        let strandedNoted = false;
        if (!json) out.line(out.colors.dim(`thread ${row.id}  ${row.workflow}  ${row.workspace}`));
        const last = await followThread({
          store,
          id: row.id,
          clock,
          limits,
          signal,
          onEvent: (event) =>
            json ? out.jsonLine(eventWithStep(store, event)) : printer.event(event),
          onIdle: (current) => {
            debug?.print();
            if (!json) printer.idle(current);
          },
          onStranded: () => {
            if (strandedNoted) return;
            strandedNoted = true;
            printer.clear();
            input.err.line(`no worker is there to take it; start one: uwf thread resume ${row.id}`);
          },
        });
        printer.clear();
        debug?.print();
        if (!isAtRest(last)) {
          input.err.line(`stopped watching; thread ${last.id} goes on`);
          return 0;
        }
        if (json) out.jsonLine({ type: 'done', thread: await threadDetail(store, last) });
        else for (const line of outcomeLines(last, out.colors)) out.line(line);
        return options.exitZero === true ? 0 : exitCodeOf(last);
      }),
    );
}

function chooseThread(store: Store, args: readonly string[], options: Options): string {
  const [id] = args;
  if (options.latest === true) {
    if (id !== undefined)
      throw new Problem('invalid-argument', 'give a thread id or --latest, not both');
    const [newest] = store.threads.list({ limit: 1 });
    if (newest === undefined)
      throw new Problem('thread-not-found', 'no threads yet; start one with: uwf run <workflow>');
    return newest.id;
  }
  if (id === undefined)
    throw new Problem('invalid-argument', 'give the id of a thread, or --latest');
  return parseThreadId(store, id);
}
