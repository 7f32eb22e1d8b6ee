import type { Hash } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import { getThread, readLimits, recoverDead } from '../executor/index.js';
import type { StepRow, Store } from '../store/index.js';
import { stateOf, stepDetail, stepJson, traceJson } from '../views/index.js';
import type { CliContext } from './context.js';
import { parseHash, parseThreadId } from './ids.js';
import { formatDuration, formatTime, renderTerminalLine } from './output/index.js';
import { subcommand } from './program.js';
import { command, type StoreCommandInput } from './run-command.js';
import { READ_QUOTA_DEFAULT } from './step/limits.js';
import { readStep } from './step/read-step.js';
import { registerOfStep as registerFork } from './thread/fork.js';
import { readCount } from './thread/start-options.js';

export function register(step: Command, context: CliContext): void {
  subcommand(step, 'list <thread-id>', 'the steps of a thread, every attempt').action(
    command(context, async (input, args) => {
      const { store, out, err, json, clock, env } = input;
      await recoverDead(store, clock, readLimits(env));
      const thread = getThread(store, parseThreadId(store, args[0] ?? ''));
      const rows = store.steps.list(thread.id);
      if (json) out.json({ items: rows.map((row) => stepJson(store, row)), nextCursor: null });
      else if (rows.length === 0) err.line('no steps yet');
      else stepTable(input, rows);
    }),
  );

  subcommand(step, 'show <hash>', 'one step: its meta and its whole text')
    .option('--raw', 'the text alone, byte for byte')
    .action(
      command(context, (input, args, options) => {
        const row = stepByHash(input, args[0] ?? '');
        if (options.raw === true) writeContent(input, row);
        else if (input.json) input.out.json(stepDetail(input.store, row));
        else printStep(input, row);
      }),
    );

  subcommand(step, 'read <hash>', 'what the agent did in a step, turn by turn, as Markdown')
    .option('--quota <n>', `at most so many characters (${READ_QUOTA_DEFAULT})`)
    .action(
      command(context, (input, args, options) => {
        const row = stepByHash(input, args[0] ?? '');
        const quota = readCount(options.quota, '--quota') ?? READ_QUOTA_DEFAULT;
        const read = readStep(input.store, row, quota);
        if (input.json) input.out.json({ hash: row.hash, quota, ...read });
        else input.out.line(read.markdown);
      }),
    );

  registerFork(
    subcommand(step, 'fork <hash>', 'a new thread with all steps up to this one, run on'),
    context,
  );
}

function stepByHash({ store }: StoreCommandInput, text: string): StepRow {
  const hash = parseHash(store, text);
  const [row] = store.steps.byHash(hash);
  if (row !== undefined) return row;
  const type = store.nodes.get(hash)?.type;
  throw new Problem(
    'step-not-found',
    `${hash} is not a step but a node of type ${type}; see it with: uwf cas get ${hash}`,
  );
}

function stepTable({ store, out }: StoreCommandInput, rows: readonly StepRow[]): void {
  out.table(
    [
      { header: '#', align: 'right' },
      { header: 'ROLE' },
      { header: 'ATTEMPT', align: 'right' },
      { header: 'STATUS' },
      { header: 'AGENT' },
      { header: 'TOOK', align: 'right' },
      { header: 'HASH' },
      { header: 'PROBLEM', flexible: true },
    ],
    rows.map((row) => [
      row.seq,
      row.role,
      row.attempt,
      row.status,
      row.agent,
      row.committedAt === null ? null : formatDuration(row.committedAt - row.startedAt),
      row.hash,
      problemText(store, row),
    ]),
  );
}

/** Of a committed step, what of it is damaged. */
function problemText(store: Store, row: StepRow): string {
  const problem = row.problem ?? stepJson(store, row).contentProblem;
  return problem === null ? '' : `${problem.code}: ${problem.message}`;
}

function printStep(input: StoreCommandInput, row: StepRow): void {
  const { store, out } = input;
  const state = stateOf(store, row);
  if (state === null)
    throw new Problem('store-damaged', `the node of step ${row.hash} is missing or no state`);
  const fields: [string, string][] = [
    ['step', `#${row.seq} ${row.role}, attempt ${row.attempt}, of thread ${row.thread}`],
    ['hash', row.hash ?? ''],
    ['agent', state.agent ?? ''],
    [
      'started',
      `${formatTime(state.startedAt)}, took ${formatDuration(state.timestamp - state.startedAt)}`,
    ],
    ['content', state.content ?? ''],
    ...(state.session === null ? [] : [traceField(store, row.hash, state.session)]),
  ];
  for (const [name, value] of fields)
    out.line(`${out.colors.dim(name.padEnd(10))}${renderTerminalLine(value)}`);
  out.line(out.colors.dim('meta'));
  out.text(JSON.stringify(state.meta, null, 2));
  out.line(out.colors.dim('answer'));
  if (state.content !== null) out.text(store.nodes.readText(state.content));
}

function traceField(store: Store, step: Hash | null, session: Hash): [string, string] {
  const trace = traceJson(store, session);
  if (trace === null) return ['trace', `${session} (not in the store)`];
  const turns = trace.turnCount === 1 ? '1 turn' : `${trace.turnCount} turns`;
  return ['trace', `${turns}; read them with: uwf step read ${step}`];
}

function writeContent({ store, out }: StoreCommandInput, row: StepRow): void {
  const content = stateOf(store, row)?.content ?? null;
  if (content === null) return;
  for (const chunk of store.nodes.contentChunks(content)) out.write(chunk);
}
