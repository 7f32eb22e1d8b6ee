import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import {
  FORK_PROMPT_MAX_BYTES,
  type ForkPlace,
  forkThread,
  getThread,
  readLimits,
  recoverDead,
} from '../../executor/index.js';
import type { CliContext } from '../context.js';
import { parseHash, parseThreadId } from '../ids.js';
import { readStdin } from '../read-stdin.js';
import { command, type Options, type StoreCommandInput } from '../run-command.js';
import { runStored } from './run-stored.js';
import { collect, readThreadOptions, STOP_AFTER } from './start-options.js';
import { withWait } from './wait-for-end.js';

type Source = ForkPlace & { id: string };

/** `thread fork`: a new thread with the first steps of another one. */
export function register(fork: Command, context: CliContext): void {
  withForkOptions(
    fork
      .option('--from-step <n>', 'keep the first so many steps; 0 = none')
      .option('--from-role <role>', 'keep everything up to and with the last step of this role'),
  ).action(
    command(context, (input, args, options) =>
      makeFork(input, options, {
        id: parseThreadId(input.store, args[0] ?? ''),
        fromStep: readKeep(options.fromStep),
        fromRole: readRole(options.fromRole),
      }),
    ),
  );
}

/** `step fork`: the same, for who has a step in hand. */
export function registerOfStep(fork: Command, context: CliContext): void {
  withForkOptions(fork).action(
    command(context, (input, args, options) =>
      makeFork(input, options, sourceOfStep(input, args[0] ?? '')),
    ),
  );
}

function withForkOptions(fork: Command): Command {
  return withWait(fork)
    .option(
      '-p, --prompt <text>',
      'task of the next role, instead of its own; "-" reads it from stdin',
    )
    .option('--agent <role=name>', 'who carries a role out from here on; repeatable', collect)
    .option('--workflow <name>', 'another workflow to go on with: a name, a version, or a file')
    .option('--max-steps <n>', 'pause after so many steps, the kept ones counted')
    .option('--stop-after <n>', STOP_AFTER);
}

async function makeFork(
  input: StoreCommandInput,
  options: Options,
  { id: source, fromStep, fromRole }: Source,
): Promise<number> {
  const { store, clock, cwd, env } = input;
  await recoverDead(store, clock, readLimits(env));
  const { agents, maxSteps, maxVisits, budget, stopAt: stopAfter } = readThreadOptions(options);
  const { resolveWorkflow } = await import('../../registry/index.js');
  const workflow =
    typeof options.workflow === 'string'
      ? await resolveWorkflow(store, options.workflow, { cwd })
      : null;
  const stored = await forkThread(
    store,
    {
      source,
      fromStep,
      fromRole,
      prompt: await readPrompt(input, options),
      workflow,
      stopAfter,
      options: { agents, maxSteps, maxVisits, budget },
    },
    clock,
  );
  return runStored(input, stored, { wait: options.wait === true });
}

/** The oldest thread that made the step, or has it: forks of it have the same. */
function sourceOfStep({ store }: StoreCommandInput, text: string): Source {
  const hash = parseHash(store, text);
  const rows = store.steps.byHash(hash);
  const made = rows.find((row) => row.seq > (getThread(store, row.thread).forkedSeq ?? 0));
  const row = made ?? rows[0];
  if (row !== undefined) return { id: row.thread, fromStep: row.seq, fromRole: null };
  throw new Problem(
    'step-not-found',
    `${hash} is not a step; \`uwf step list THREAD\` shows the steps of a thread`,
  );
}

async function readPrompt({ stdin }: StoreCommandInput, options: Options): Promise<string | null> {
  if (typeof options.prompt !== 'string') return null;
  if (options.prompt !== '-') return options.prompt;
  return (await readStdin(stdin, FORK_PROMPT_MAX_BYTES)).toString('utf8');
}

function readKeep(value: unknown): number | null {
  if (value === undefined) return null;
  const text = String(value);
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Problem(
    'invalid-argument',
    `--from-step takes a whole number from 0 on, not ${JSON.stringify(text.slice(0, 40))}`,
  );
}

function readRole(value: unknown): string | null {
  if (value === undefined) return null;
  if (value !== '') return String(value);
  throw new Problem('invalid-argument', '--from-role needs the name of a role');
}
