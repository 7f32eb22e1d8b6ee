import { isOver, type ThreadRow } from '../../store/index.js';
import type { Colors } from '../output/index.js';
import { renderTerminalLine, renderTerminalText } from '../output/index.js';

const EXIT_FAILED = 1;
const EXIT_CANCELLED = 130;

/** Nobody works on it and nobody will unless told to. */
export function isAtRest(row: ThreadRow): boolean {
  return row.status !== 'queued' && row.status !== 'running';
}

/** Exit code of `live` and `run --wait`. */
export function exitCodeOf(row: ThreadRow): number {
  if (row.status === 'completed') return 0;
  return row.status === 'cancelled' ? EXIT_CANCELLED : EXIT_FAILED;
}

/** Last lines about a thread at rest: how it ended, or why it stands and the command that goes on. */
export function outcomeLines(row: ThreadRow, colors: Colors): string[] {
  const paint =
    row.status === 'completed'
      ? colors.green
      : row.status === 'failed'
        ? colors.red
        : colors.yellow;
  const problem =
    row.problem === null
      ? []
      : [`  ${row.problem.code}: ${indent(renderTerminalText(row.problem.message))}`];
  if (isOver(row)) {
    const summary =
      row.summary === null || row.summary === '' ? '' : ` — ${renderTerminalLine(row.summary)}`;
    return [`${paint(row.status)}: returnCode=${row.returnCode}${summary}`, ...problem];
  }
  const reason = row.reason === null ? '' : ` (${row.reason})`;
  return [`${paint(row.status)}${reason}`, ...problem, `  ${goOn(row)}`];
}

function goOn(row: ThreadRow): string {
  // A thread keeps its version, and the same version has no way on the second time either.
  if (row.problem?.code === 'no-route')
    return `to go on: correct the workflow and start it anew; retry would end here again`;
  if (row.status === 'failed') return `to go on: uwf thread retry ${row.id}`;
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
