import { PAGE_DEFAULT, PAGE_MAX } from '@uncaged/protocol/limits';
import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import {
  getThread,
  killThread,
  pauseThread,
  readLimits,
  recoverDead,
  removeThread,
} from '../executor/index.js';
import { type Store, THREAD_STATUSES, type ThreadStatus } from '../store/index.js';
import { threadSummary } from '../views/index.js';
import type { CliContext } from './context.js';
import { parseThreadId } from './ids.js';
import { register as registerLive } from './live.js';
import { subcommand } from './program.js';
import { register as registerPs } from './ps.js';
import { register as registerRun } from './run.js';
import { command, type Options, type StoreCommandInput } from './run-command.js';
import { controlContext } from './thread/control-context.js';
import { register as registerDiff } from './thread/diff.js';
import { register as registerExec } from './thread/exec.js';
import { register as registerExport } from './thread/export.js';
import { register as registerFork } from './thread/fork.js';
import { registerResume, registerRetry } from './thread/go-on.js';
import { register as registerImport } from './thread/import.js';
import { register as registerLineage } from './thread/lineage.js';
import { register as registerReplay } from './thread/replay.js';
import { reportSent } from './thread/report-sent.js';
import { showThread } from './thread/show-thread.js';
import { readCount } from './thread/start-options.js';
import { threadTable } from './thread/thread-table.js';

export function register(thread: Command, context: CliContext): void {
  registerRun(thread.command('run').description('start a thread; the same as uwf run'), context);

  subcommand(thread, 'list [workflow]', 'threads, newest first')
    .option('--status <status>', `only these: ${THREAD_STATUSES.join(', ')}; several with commas`)
    .option('--search <text>', 'beginning of the id, the workflow, or the beginning of the prompt')
    .option('--limit <n>', `at most so many (${PAGE_MAX})`)
    .option('--before <thread-id>', 'go on after this one: the last of the page before')
    .action(command(context, list));

  subcommand(thread, 'show <thread-id>', 'what happened in a thread, step by step').action(
    command(context, async (input, args) => {
      await recoverDead(input.store, input.clock, readLimits(input.env));
      await showThread(input, getThread(input.store, idOf(input, args)));
    }),
  );

  registerPs(thread.command('ps').description('what is running; the same as uwf ps'), context);
  registerLive(thread.command('live').description('watch a thread; the same as uwf live'), context);

  subcommand(thread, 'pause <thread-id>', 'stop after the step in flight').action(
    command(context, async (input, args) => {
      const row = await pauseThread(controlContext(input), idOf(input, args));
      reportSent(input, row.id, `pause sent for thread ${row.id}`);
    }),
  );

  registerResume(
    subcommand(thread, 'resume <thread-id>', 'go on with a paused or interrupted thread'),
    context,
  );

  registerRetry(
    subcommand(thread, 'retry <thread-id>', 'try the failed step of a thread again'),
    context,
  );

  registerExec(
    subcommand(thread, 'exec <thread-id>', 'make exactly one step of a thread that stands'),
    context,
  );

  registerFork(
    subcommand(thread, 'fork <thread-id>', 'a new thread with the first steps of this one, run on'),
    context,
  );

  registerReplay(
    subcommand(thread, 'replay <thread-id>', 'show again what happened, from the record alone'),
    context,
  );

  registerLineage(
    subcommand(thread, 'lineage <thread-id>', 'forks and nested threads as a tree'),
    context,
  );

  registerDiff(
    subcommand(thread, 'diff <thread-id> <other-id>', 'two threads from where they part'),
    context,
  );

  registerExport(
    subcommand(thread, 'export <thread-id>', 'a thread with all it is made of as one file, a pack'),
    context,
  );

  registerImport(
    subcommand(thread, 'import <file>', 'take the thread of a pack in; "-" = standard input'),
    context,
  );

  subcommand(thread, 'kill <thread-id>', 'end a thread now, with everything its agents started')
    .alias('cancel')
    .action(
      command(context, async (input, args) => {
        const id = idOf(input, args);
        const before = getThread(input.store, id);
        const row = await killThread(controlContext(input), id);
        if (row.status !== 'cancelled')
          throw new Problem(
            'thread-state',
            `thread ${id} was ${before.status} and ended by itself: ${row.status}`,
          );
        reportSent(input, id, `kill sent for thread ${id}: it is cancelled`);
      }),
    );

  subcommand(
    thread,
    'rm <thread-id>',
    'forget a thread and those nested in it; their texts stay in the store until they are collected',
  )
    .alias('remove')
    .action(
      command(context, async (input, args) => {
        const { store, out, json, clock, env } = input;
        await recoverDead(store, clock, readLimits(env));
        const id = idOf(input, args);
        const nested = await removeThread(store, id);
        const those = nested === 1 ? '1 thread' : `${nested} threads`;
        if (json) out.json({ id, removed: true, nested });
        else out.line(`removed thread ${id}${nested === 0 ? '' : ` and ${those} nested in it`}`);
      }),
    );
}

async function list(
  input: StoreCommandInput,
  args: readonly string[],
  options: Options,
): Promise<void> {
  const { store, out, err, json, clock, env } = input;
  await recoverDead(store, clock, readLimits(env));
  const limit = Math.min(readCount(options.limit, '--limit') ?? PAGE_DEFAULT, PAGE_MAX);
  // One more than shown tells whether there are more.
  const filter = await filterOf(store, args, options);
  const found = store.threads.list({ ...filter, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const nextCursor = found.length > limit ? (rows.at(-1)?.id ?? null) : null;
  if (json) {
    out.json({ items: rows.map(threadSummary), nextCursor });
    return;
  }
  if (rows.length === 0) err.line('no threads');
  else {
    const now = clock();
    threadTable(out, rows, { ranMs: (row) => store.steps.ranMs(row, now) });
  }
  if (nextCursor !== null) err.line(`there are more: uwf thread list --before ${nextCursor}`);
}

async function filterOf(store: Store, [workflow]: readonly string[], options: Options) {
  const { status, search, before } = options;
  return {
    ...(workflow === undefined ? {} : { workflow: await workflowName(workflow) }),
    ...(typeof status === 'string' ? { statuses: status.split(',').map(requireStatus) } : {}),
    ...(typeof search === 'string' ? { q: search } : {}),
    ...(typeof before === 'string' ? { before: parseThreadId(store, before) } : {}),
  };
}

async function workflowName(text: string): Promise<string> {
  const { requireWorkflowName } = await import('../registry/index.js');
  return requireWorkflowName(text);
}

function requireStatus(text: string): ThreadStatus {
  const status = THREAD_STATUSES.find((candidate) => candidate === text.trim());
  if (status !== undefined) return status;
  throw new Problem(
    'invalid-argument',
    `--status takes ${THREAD_STATUSES.join(', ')}, not ${JSON.stringify(text.slice(0, 40))}`,
  );
}

function idOf({ store }: StoreCommandInput, args: readonly string[]): string {
  return parseThreadId(store, args[0] ?? '');
}
