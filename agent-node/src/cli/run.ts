import { PROMPT_MAX_BYTES } from '@uncaged/protocol/limits';
import type { Command } from 'commander';
import { checkStartRequest, ensureWorker, recoverDead, startThread } from '../executor/index.js';
import { resolveWorkflow } from '../registry/index.js';
import type { CliContext } from './context.js';
import { withJson } from './program.js';
import { readStdin } from './read-stdin.js';
import { command, type Options, type StoreCommandInput } from './run-command.js';
import { controlContext } from './thread/control-context.js';
import { readInputs, readThreadOptions, withStartOptions } from './thread/start-options.js';
import { hint, waitForEnd } from './thread/wait-for-end.js';

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
