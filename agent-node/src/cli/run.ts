import { PROMPT_MAX_BYTES } from '@uncaged/protocol/limits';
import type { Command } from 'commander';
import {
  checkStartRequest,
  ensureWorker,
  getThread,
  killThread,
  recoverDead,
  startThread,
} from '../executor/index.js';
import { resolveWorkflow } from '../registry/index.js';
import type { ThreadRow } from '../store/index.js';
import { threadDetail } from '../views/index.js';
import { askYesNo } from './ask.js';
import type { CliContext } from './context.js';
import { withJson } from './program.js';
import { readStdin } from './read-stdin.js';
import { command, type Options, type StoreCommandInput } from './run-command.js';
import { controlContext } from './thread/control-context.js';
import { followThread } from './thread/follow.js';
import { exitCodeOf, isAtRest, outcomeLines } from './thread/outcome.js';
import { readInputs, readThreadOptions, withStartOptions } from './thread/start-options.js';

export function register(run: Command, context: CliContext): void {
  withStartOptions(withJson(run))
    .argument('<workflow>', 'a name, or the path of a definition (./review.yaml)')
    .option('--wait', 'wait until it ends; the exit code tells how')
    .action(command(context, start));
}

async function start(
  input: StoreCommandInput,
  args: readonly string[],
  options: Options,
): Promise<number> {
  const { store, out, json, clock } = input;
  const control = controlContext(input);
  await recoverDead(store, clock, control.limits);
  const threadOptions = readThreadOptions(options);
  const inputs = readInputs(options, input.cwd);
  const workflow = await resolveWorkflow(store, args[0] ?? '', { cwd: input.cwd });
  if (workflow.definition !== null)
    await checkStartRequest(workflow.definition, { agents: threadOptions.agents, inputs });
  const { id, workerKey } = startThread(
    store,
    {
      workflow: { name: workflow.name, kind: workflow.kind, version: workflow.version },
      prompt: await readPrompt(input, options),
      inputs,
      workspace: typeof options.workspace === 'string' ? options.workspace : input.cwd,
      options: threadOptions,
    },
    clock,
  );
  const wait = options.wait === true;
  if (!(wait && json)) {
    if (json) out.json({ threadId: id });
    else out.line(id);
  }
  await ensureWorker(store, workerKey, control.program, control.limits);
  if (wait) return await waitForEnd(input, id);
  hint(input, `watch it with: uwf live ${id}`);
  return 0;
}

async function readPrompt({ stdin }: StoreCommandInput, options: Options): Promise<string> {
  const given = typeof options.prompt === 'string' ? options.prompt : '';
  return given === '-' ? (await readStdin(stdin, PROMPT_MAX_BYTES)).toString('utf8') : given;
}

async function waitForEnd(input: StoreCommandInput, id: string): Promise<number> {
  const { store, out, err, json, clock, signal } = input;
  const control = controlContext(input);
  let last = await followThread({
    store,
    id,
    clock,
    limits: control.limits,
    signal,
    onEvent: () => undefined,
    onStranded: ({ worker }) => ensureWorker(store, worker, control.program, control.limits),
  });
  if (!isAtRest(last)) {
    if (!(await wantsKill(input, last))) {
      err.line(`thread ${id} goes on; watch it with: uwf live ${id}`);
      return 0;
    }
    last = await killThread(control, id);
  }
  if (json) out.json(await threadDetail(store, getThread(store, id)));
  else for (const line of outcomeLines(last, out.colors)) out.line(line);
  hint(input, `see what happened with: uwf thread show ${id}`);
  return exitCodeOf(last);
}

/** What to do next, for a person only: never into a pipe or a log. */
function hint({ err, json }: StoreCommandInput, text: string): void {
  if (err.isTTY && !json) err.line(err.colors.dim(text));
}

/** Ctrl-C while waiting: on a terminal it is a question, elsewhere it only ends the waiting. */
async function wantsKill({ stdin, err }: StoreCommandInput, thread: ThreadRow): Promise<boolean> {
  if (stdin.isTTY !== true || !err.isTTY) return false;
  return askYesNo(`thread ${thread.id} is ${thread.status}. Kill it?`);
}
