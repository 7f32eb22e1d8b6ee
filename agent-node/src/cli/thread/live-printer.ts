import type { EventRow, Failure, Store, ThreadRow } from '../../store/index.js';
import { readState } from '../../views/index.js';
import {
  formatClock,
  formatDuration,
  type Output,
  renderTerminalLine,
  renderTerminalText,
} from '../output/index.js';
import { statusOf, stepBody } from './step-text.js';

export type LivePrinter = {
  event: (event: EventRow) => void;
  /** On a terminal: what runs right now, on a line that the next print takes away. */
  idle: (row: ThreadRow) => void;
  /** Takes that line away. */
  clear: () => void;
};

type StepData = {
  seq: number;
  attempt: number;
  role: string;
  agent?: string;
  hash?: string;
  childThread?: string;
  problem?: Failure;
};

const CLEAR_LINE = '\r\u001b[K';
/** The status line appears after this time, so that quick steps do not flicker. */
const STATUS_AFTER_MS = 1000;

/** Prints a thread's events as people read them. `role` shows the steps of one role only. */
export function createLivePrinter(
  store: Store,
  out: Output,
  role: string | null,
  clock: () => number,
): LivePrinter {
  const { colors } = out;
  let inFlight: { role: string; attempt: number; since: number } | null = null;
  let status = '';

  const clear = () => {
    if (status !== '') out.write(CLEAR_LINE);
    status = '';
  };
  const stamp = (at: number) => `[${formatClock(at)}]`;

  const committed = (event: EventRow, step: StepData) => {
    inFlight = null;
    const row = store.steps.byHash(step.hash ?? '').find((candidate) => candidate.seq === step.seq);
    const { state, problem } =
      row === undefined ? { state: null, problem: null } : readState(store, row);
    if (state === null) {
      out.line(
        `${stamp(event.at)} ▶ ${colors.role(step.role)} ${problem === null ? `(step ${step.hash} not in the store)` : `${colors.red(problem.code)}: ${problem.message}`}`,
      );
      return;
    }
    const took = colors.dim(formatDuration(state.timestamp - state.startedAt));
    out.line(
      `${stamp(event.at)} ▶ ${colors.role(step.role)}${againText(step)}${statusOf(state.meta, colors)}  ${took}`,
    );
    for (const line of stepBody(store, out, state)) out.line(line);
  };

  const notes: Partial<Record<EventRow['type'], (event: EventRow) => string | undefined>> = {
    'thread.queued': ({ data: { forkedFrom, forkedSeq } }) =>
      forkedFrom === undefined
        ? undefined
        : `forked from thread ${String(forkedFrom)}, of which it keeps ${stepCount(Number(forkedSeq))}`,
    'thread.interrupted': (event) =>
      `interrupted: its process ${String(event.data.pid)} is gone or stands still`,
    'thread.resumed': () => 'goes on',
  };

  return {
    clear,
    event: (event) => {
      clear();
      const step = event.data as StepData;
      if (event.type === 'step.started')
        inFlight = { role: step.role, attempt: step.attempt, since: event.at };
      const hidden = role !== null && event.type.startsWith('step.') && step.role !== role;
      if (hidden) return;
      if (event.type === 'step.nested')
        out.line(
          `${stamp(event.at)} ▷ ${colors.role(step.role)}${againText(step)} waits for nested thread ${step.childThread}`,
        );
      if (event.type === 'step.committed') committed(event, step);
      if (event.type === 'step.failed') {
        inFlight = null;
        const { code, message } = step.problem ?? { code: 'internal', message: '' };
        const text = renderTerminalText(message).trimEnd().split('\n').join('\n  ');
        out.line(
          `${stamp(event.at)} ${colors.red('✗')} ${colors.role(step.role)} attempt ${step.attempt}: ${code}: ${text}`,
        );
      }
      const note = notes[event.type]?.(event);
      if (note !== undefined)
        out.line(`${stamp(event.at)} ${colors.dim(renderTerminalLine(note))}`);
    },
    idle: (row) => {
      const since = row.status === 'queued' ? row.queuedAt : inFlight?.since;
      if (!out.isTTY || since === undefined) return;
      const span = clock() - since;
      if (span < STATUS_AFTER_MS) return;
      const what =
        row.status === 'queued'
          ? 'queued: waits for its turn'
          : `${inFlight?.role}${againText(inFlight)} running`;
      const text = `… ${what} ${formatDuration(Math.floor(span / 1000) * 1000)}`;
      if (text === status) return;
      clear();
      status = text;
      out.write(colors.dim(text));
    },
  };
}

function againText(step: { attempt: number } | null): string {
  return step !== null && step.attempt > 1 ? ` (attempt ${step.attempt})` : '';
}

function stepCount(count: number): string {
  if (count === 0) return 'no step';
  return count === 1 ? 'the first step' : `the first ${count} steps`;
}
