import type { StepRow, Store, ThreadRow } from '../../store/index.js';
import {
  concurrency,
  currentVersion,
  readState,
  stepJson,
  threadDetail,
} from '../../views/index.js';
import {
  formatDuration,
  formatTime,
  type Output,
  renderTerminalLine,
  renderTerminalText,
} from '../output/index.js';
import type { StoreCommandInput } from '../run-command.js';
import { outcomeLines } from './outcome.js';
import { nestedLine, statusOf, stepBody } from './step-text.js';
import { paint, placeText, statusText } from './thread-table.js';

/** A thread for a person who was not there: what it was to do, each step with what came of it, how it ended. */
export async function showThread(input: StoreCommandInput, row: ThreadRow): Promise<void> {
  const { store, out, json } = input;
  const steps = store.steps.list(row.id);
  if (json) {
    out.json({
      ...(await threadDetail(store, row)),
      steps: steps.map((step) => stepJson(store, step)),
    });
    return;
  }
  for (const [name, value] of await headerOf(input, row, steps))
    out.line(`${out.colors.dim(name.padEnd(10))}${value}`);
  for (const step of steps) printStep(store, out, step);
  out.line();
  // The problem of the last attempt stands right above.
  const last = steps.at(-1)?.problem ?? null;
  const isSaid = last !== null && last.message === row.problem?.message;
  for (const line of outcomeLines(row, out.colors, { isProblemSaid: isSaid })) out.line(line);
}

async function headerOf(
  { store, out, clock }: StoreCommandInput,
  row: ThreadRow,
  steps: readonly StepRow[],
): Promise<[string, string][]> {
  const { readRegistry } = await import('../../registry/index.js');
  const current = await currentVersion(row, () => readRegistry(store.root));
  const prompt = renderTerminalLine(row.prompt200);
  const place =
    row.status === 'queued' ? store.threads.queuePlace(row.id, await concurrency(store)) : null;
  const pause = retryText(row, steps.at(-1));
  return [
    ['thread', `${row.id}  ${paint(out, statusText(row))}`],
    [
      'workflow',
      `${row.workflow} @ ${row.version}${current === null ? '' : `  (the name means ${current} now)`}`,
    ],
    ...(row.imported ? ([['copy', 'from a pack; it never runs here']] as [string, string][]) : []),
    ['workspace', renderTerminalLine(row.workspace)],
    ...(prompt === '' ? [] : ([['prompt', prompt]] as [string, string][])),
    ...(row.parent === null
      ? []
      : ([['nested in', `${row.parent}, as its step ${row.parentSeq}`]] as [string, string][])),
    ...(row.forkedFrom === null
      ? []
      : ([['forked', `from ${row.forkedFrom} after step ${row.forkedSeq}`]] as [string, string][])),
    [
      'started',
      `${formatTime(row.createdAt)}, took ${formatDuration(store.steps.ranMs(row, clock()))}`,
    ],
    ['steps', `${row.steps}`],
    ...(pause === null ? [] : ([['waits for', pause]] as [string, string][])),
    ...(place === null ? [] : ([['waits for', placeText(place) ?? '']] as [string, string][])),
  ];
}

/** Between two attempts nothing runs: the pause after a failed one is not over. */
function retryText({ status }: ThreadRow, last: StepRow | undefined): string | null {
  if (status !== 'running' || last?.status !== 'failed') return null;
  return `attempt ${last.attempt + 1} of step ${last.seq}, after the pause that follows a failed one`;
}

function printStep(store: Store, out: Output, step: StepRow): void {
  const { colors } = out;
  const { state, problem: loss } = readState(store, step);
  const end = step.committedAt ?? step.startedAt;
  const attempt = step.attempt > 1 || step.status !== 'committed' ? ` attempt ${step.attempt}` : '';
  const status = step.status === 'committed' ? '' : ` ${step.status}`;
  const outcome = state === null ? '' : statusOf(state.meta, colors);
  const took = step.status === 'running' ? '' : ` ${formatDuration(end - step.startedAt)}`;
  out.line();
  out.line(
    `#${step.seq} ${colors.role(step.role)}${attempt}${colors.yellow(status)}${outcome}${colors.dim(` ${took}  ${step.agent}  ${step.hash ?? ''}`.trimEnd())}`,
  );
  if (step.problem !== null)
    out.line(
      `  ${colors.red(step.problem.code)}: ${renderTerminalText(step.problem.message).trimEnd().split('\n').join('\n  ')}`,
    );
  if (loss !== null) out.line(`  ${colors.red(loss.code)}: ${renderTerminalLine(loss.message)}`);
  if (step.childThread !== null) out.line(nestedLine(step.childThread));
  if (state !== null) for (const line of stepBody(store, out, state)) out.line(line);
}
