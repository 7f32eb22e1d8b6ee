import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import { getThread, readLimits, recoverDead } from '../../executor/index.js';
import { threadDetail } from '../../views/index.js';
import type { CliContext } from '../context.js';
import { parseThreadId } from '../ids.js';
import { command, type Options, type StoreCommandInput } from '../run-command.js';
import { eventWithStep } from './event-with-step.js';
import { REPLAY_IDLE_MAX_MS, REPLAY_SPEED_MAX } from './limits.js';
import { createLivePrinter } from './live-printer.js';
import { isAtRest, outcomeLines } from './outcome.js';
import { type Recorded, recordOf } from './record.js';

/**
 * `thread replay`: what `live` showed, or would have shown, from the record alone. Nothing runs, nothing is written, no agent
 * is asked: it gives the same each time and costs nothing. How the thread ended does not make the exit code.
 */
export function register(replay: Command, context: CliContext): void {
  replay
    .option('--speed <n>', 'in time: 1 as it was, 10 ten times as fast; default all at once')
    .option('--role <name>', 'show the steps of this role only')
    .action(
      command(context, async (input, args, options) => {
        const { store, clock } = input;
        await recoverDead(store, clock, readLimits(input.env));
        await replayThread(input, parseThreadId(store, args[0] ?? ''), options);
      }),
    );
}

async function replayThread(input: StoreCommandInput, id: string, options: Options): Promise<void> {
  const { store, out, err, json, clock } = input;
  const speed = readSpeed(options.speed);
  const role = typeof options.role === 'string' ? options.role : null;
  if (role === '') throw new Problem('invalid-argument', '--role needs the name of a role');
  const row = getThread(store, id);
  if (role !== null) requireRole(input, id, role);
  const printer = createLivePrinter(store, out, role, clock);
  if (!json) out.line(out.colors.dim(`thread ${row.id}  ${row.workflow}  ${row.workspace}`));
  const pace = createPace(input, speed);
  for (const event of recordOf(store, row)) {
    if (!(await pace(event))) {
      err.line('stopped');
      return;
    }
    if (json) out.jsonLine({ ...eventWithStep(store, { ...event, seq: 0 }), seq: event.seq });
    else printer.event({ ...event, seq: event.seq ?? 0 });
  }
  const last = getThread(store, id);
  if (!isAtRest(last)) err.line(`that is all so far; thread ${id} goes on: uwf live ${id}`);
  else if (json) out.jsonLine({ type: 'done', thread: await threadDetail(store, last) });
  else for (const line of outcomeLines(last, out.colors)) out.line(line);
}

/** A name that no step has would show nothing, as if nothing had happened. */
function requireRole({ store }: StoreCommandInput, id: string, role: string): void {
  const roles = new Set(store.steps.list(id).map((step) => step.role));
  if (roles.has(role)) return;
  const known = roles.size === 0 ? 'it has no steps yet' : `its roles are ${[...roles].join(', ')}`;
  throw new Problem(
    'invalid-argument',
    `thread ${id} has no step of role ${JSON.stringify(role.slice(0, 100))}; ${known}`,
  );
}

/**
 * Waits as long as it took from the event before to this one; false when that was broken off. Time in which no step was
 * running counts for little: nobody wants to sit through a night in which the thread was paused.
 */
function createPace(
  input: StoreCommandInput,
  speed: number | null,
): (event: Recorded) => Promise<boolean> {
  let before: Recorded | null = null;
  return async (event) => {
    const gap = before === null ? 0 : Math.max(event.at - before.at, 0);
    const isIdle = before?.type !== 'step.started' && before?.type !== 'step.nested';
    before = event;
    // Asking for the signal takes Ctrl-C over: only where there is something to wait for.
    if (speed === null || gap === 0) return true;
    return pause((isIdle ? Math.min(gap, REPLAY_IDLE_MAX_MS) : gap) / speed, input.signal);
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

function readSpeed(value: unknown): number | null {
  if (value === undefined) return null;
  const speed = Number(value);
  if (String(value).trim() !== '' && speed > 0 && speed <= REPLAY_SPEED_MAX) return speed;
  throw new Problem(
    'invalid-argument',
    `--speed takes a number above 0 and up to ${REPLAY_SPEED_MAX}, not ${JSON.stringify(String(value).slice(0, 40))}`,
  );
}
