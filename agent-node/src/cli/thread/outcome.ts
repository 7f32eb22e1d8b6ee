import { isOver, type ThreadRow } from '../../store/index.js';
import type { Colors } from '../output/index.js';
import { renderTerminalLine, renderTerminalText } from '../output/index.js';

const EXIT_FAILED = 1;
const EXIT_CANCELLED = 130;

/** Nobody works on it and nobody will unless told to. */
export function isAtRest(row: ThreadRow): boolean {
  return row.status !== 'queued' && row.status !== 'running';
}

/** It made the steps it was asked for and stands where it was to stop. */
function stopsAsAsked({ status, reason, steps, options: { stopAt } }: ThreadRow): boolean {
  return status === 'paused' && reason === 'user' && stopAt !== null && steps >= stopAt;
}

/** Exit code of `live`, `thread exec`, and everything with `--wait`. */
export function exitCodeOf(row: ThreadRow): number {
  if (row.status === 'completed' || stopsAsAsked(row)) return 0;
  return row.status === 'cancelled' ? EXIT_CANCELLED : EXIT_FAILED;
}

/** Last lines about a thread: how it ended, or why it stands and the command that goes on, or how to watch it. */
export function outcomeLines(
  row: ThreadRow,
  colors: Colors,
  { isProblemSaid = false }: { isProblemSaid?: boolean } = {},
): string[] {
  const paint =
    row.status === 'completed'
      ? colors.green
      : row.status === 'failed'
        ? colors.red
        : colors.yellow;
  const problem =
    row.problem === null || isProblemSaid
      ? []
      : [`  ${row.problem.code}: ${indent(renderTerminalText(row.problem.message))}`];
  if (isOver(row)) {
    const summary =
      row.summary === null || row.summary === '' ? '' : ` — ${renderTerminalLine(row.summary)}`;
    return [`${paint(row.status)}: returnCode=${row.returnCode}${summary}`, ...problem];
  }
  const reason = stopsAsAsked(row)
    ? ` (after step ${row.steps})`
    : row.reason === null
      ? ''
      : ` (${row.reason})`;
  return [`${paint(row.status)}${reason}`, ...problem, `  ${goOn(row)}`];
}

function goOn(row: ThreadRow): string {
  if (!isAtRest(row) && !row.imported) return `to watch it: uwf live ${row.id}`;
  if (row.imported)
    return `a copy from a pack never runs here; to go on: uwf thread fork ${row.id}`;
  // A thread keeps its version, and the same version has no way on the second time either.
  if (row.problem?.code === 'no-route')
    return `to go on: correct the workflow and start it anew; retry would end here again`;
  // Every retry reads the same damaged steps again.
  if (row.problem?.code === 'store-damaged')
    return `to go on: uwf thread fork ${row.id} --from-step N, from a step that is not damaged; uwf cas verify names what is`;
  if (row.status === 'failed') return `to go on: uwf thread retry ${row.id}`;
  if (stopsAsAsked(row))
    return `to go on: uwf thread exec ${row.id} (one step), uwf thread resume ${row.id} (all of it)`;
  const raise =
    row.reason === 'max-steps'
      ? ` --max-steps ${row.steps * 2}`
      : row.reason === 'max-visits'
        ? ' --max-visits N'
        : '';
  return `to go on: uwf thread resume ${row.id}${raise}`;
}

function indent(text: string): string {
  return text.trimEnd().split('\n').join('\n  ');
}
