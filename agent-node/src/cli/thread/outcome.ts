import { isOver, type ThreadRow } from '../../store/index.js';
import type { Colors } from '../output/index.js';
import { renderTerminalLine, renderTerminalText } from '../output/index.js';

const EXIT_FAILED = 1;
const EXIT_CANCELLED = 130;

/** Nobody works on it and nobody will unless told to. */
export function isAtRest(row: ThreadRow): boolean {
  return row.status !== 'queued' && row.status !== 'running';
}

/** Exit code of `live` and `run --wait` (data.md). */
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
  return [`${paint(row.status)}${reason}`, ...problem, `  to go on: ${goOnCommand(row)}`];
}

function goOnCommand(row: ThreadRow): string {
  if (row.status === 'failed') return `uwf thread retry ${row.id}`;
  const raise =
    row.reason === 'max-steps'
      ? ` --max-steps ${row.steps * 2}`
      : row.reason === 'max-visits'
        ? ' --max-visits N'
        : '';
  return `uwf thread resume ${row.id}${raise}`;
}

function indent(text: string): string {
  return text.trimEnd().split('\n').join('\n  ');
}
