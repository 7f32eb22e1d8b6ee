import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import { getThread, readLimits, recoverDead } from '../executor/index.js';
import type { StepRow } from '../store/index.js';
import { stateOf, stepJson } from '../views/index.js';
import type { CliContext } from './context.js';
import { parseHash, parseThreadId } from './ids.js';
import { formatDuration, formatTime, renderTerminalLine } from './output/index.js';
import { subcommand } from './program.js';
import { command, type StoreCommandInput } from './run-command.js';

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
        else if (input.json) input.out.json(stepJson(input.store, row));
        else printStep(input, row);
      }),
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

function stepTable({ out }: StoreCommandInput, rows: readonly StepRow[]): void {
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
      row.problem === null ? '' : `${row.problem.code}: ${row.problem.message}`,
    ]),
  );
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
  ];
  for (const [name, value] of fields)
    out.line(`${out.colors.dim(name.padEnd(10))}${renderTerminalLine(value)}`);
  out.line(out.colors.dim('meta'));
  out.text(JSON.stringify(state.meta, null, 2));
  out.line(out.colors.dim('answer'));
  if (state.content !== null) out.text(store.nodes.readText(state.content));
}

function writeContent({ store, out }: StoreCommandInput, row: StepRow): void {
  const content = stateOf(store, row)?.content ?? null;
  if (content === null) return;
  for (const chunk of store.nodes.contentChunks(content)) out.write(chunk);
}
