import type { DiffSide, ThreadDiff } from '@uncaged/protocol/api';
import type { Command } from 'commander';
import { getThread, readLimits, recoverDead } from '../../executor/index.js';
import { threadDiff } from '../../views/index.js';
import type { CliContext } from '../context.js';
import { parseThreadId } from '../ids.js';
import {
  formatDuration,
  type Output,
  renderTerminalLine,
  truncateToWidth,
} from '../output/index.js';
import { command } from '../run-command.js';
import { DIFF_FIELDS_MAX, DIFF_VALUE_MAX_CHARS } from './limits.js';
import { paint } from './thread-table.js';

type Step = ThreadDiff['steps'][number];
type Totals = ThreadDiff['totals']['a'];

/** `thread diff`: two threads from the first step on that they do not share. */
export function register(diff: Command, context: CliContext): void {
  diff.action(
    command(context, async (input, args) => {
      const { store, out, err, json, clock, env } = input;
      await recoverDead(store, clock, readLimits(env));
      const [a, b] = [0, 1].map((at) => getThread(store, parseThreadId(store, args[at] ?? '')));
      const found = threadDiff(store, a!, b!);
      if (json) out.json(found);
      else for (const line of diffLines(out, found)) out.line(line);
      if (found.isCut) err.line(`the first ${found.steps.length} steps; there are more`);
    }),
  );
}

function diffLines(out: Output, { a, b, sharedSteps, steps, totals }: ThreadDiff): string[] {
  const { green, red, dim } = out.colors;
  const thread = (name: string, { threadId, workflow, version, status }: ThreadDiff['a']) =>
    `${name} ${threadId}  ${workflow} @ ${version}  ${paint(out, status)}`;
  return [
    red(thread('a', a)),
    green(thread('b', b)),
    dim(sharedSteps === 1 ? 'the first step is shared' : `${sharedSteps} steps are shared`),
    ...steps.flatMap((step) => stepLines(out, step)),
    '',
    `a ${totalsText(totals.a)}`,
    `b ${totalsText(totals.b)}`,
  ];
}

function stepLines(out: Output, step: Step): string[] {
  const { red, green, dim } = out.colors;
  const { a, b } = step;
  const same = [step.isMetaEqual ? 'meta' : '', step.isContentEqual ? 'text' : ''].filter(Boolean);
  return [
    '',
    `#${step.seq}${same.length === 0 ? '' : dim(`  same ${same.join(' and ')}`)}`,
    ...(a === null ? [] : [red(`- ${sideText(a)}`)]),
    ...(b === null ? [] : [green(`+ ${sideText(b)}`)]),
    ...(a === null || b === null || step.isMetaEqual ? [] : metaLines(out, a, b)),
  ];
}

function sideText({
  role,
  attempt,
  hash,
  contentSize,
  startedAt,
  committedAt,
  usage,
  usd,
}: DiffSide) {
  const took = formatDuration(Math.max(Date.parse(committedAt) - Date.parse(startedAt), 0));
  const tokens = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
  return [
    attempt > 1 ? `${role} (attempt ${attempt})` : role,
    took,
    contentSize === null ? 'text not in the store' : `${contentSize} bytes`,
    ...(tokens === 0 ? [] : [`${tokens} tokens`]),
    ...(usd === 0 ? [] : [usdText(usd)]),
    hash,
  ].join('  ');
}

/** Fields that differ, as they are in either. */
function metaLines(out: Output, a: DiffSide, b: DiffSide): string[] {
  const { red, green, dim } = out.colors;
  const value = (side: DiffSide, name: string) =>
    Object.hasOwn(side.meta, name) ? JSON.stringify(side.meta[name]) : null;
  const names = [...new Set([...Object.keys(a.meta), ...Object.keys(b.meta)])].filter(
    (name) => value(a, name) !== value(b, name),
  );
  const line = (sign: string, name: string, text: string | null) =>
    text === null ? [] : [`  ${sign} ${shown(`${name}: ${text}`)}`];
  const lines = names
    .slice(0, DIFF_FIELDS_MAX)
    .flatMap((name) => [
      ...line('-', name, value(a, name)).map(red),
      ...line('+', name, value(b, name)).map(green),
    ]);
  const more = names.length - DIFF_FIELDS_MAX;
  return more > 0 ? [...lines, dim(`  … ${more} more fields differ`)] : lines;
}

function shown(text: string): string {
  return truncateToWidth(renderTerminalLine(text), DIFF_VALUE_MAX_CHARS);
}

function totalsText({ steps, usage, usd, durationMs }: Totals): string {
  const tokens = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
  return `${steps} ${steps === 1 ? 'step' : 'steps'} of its own, ${formatDuration(durationMs)}, ${tokens} tokens, ${usdText(usd)}`;
}

function usdText(usd: number): string {
  return `$${usd.toFixed(4)}`;
}
