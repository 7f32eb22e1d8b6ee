import { PROMPT_MAX_BYTES } from '@uncaged/protocol/limits';
import type { Command } from 'commander';
import {
  checkAgents,
  checkStartRequest,
  recoverDead,
  startEarly,
  startThread,
} from '../executor/index.js';
import type { CliContext } from './context.js';
import { withJson } from './program.js';
import { readStdin } from './read-stdin.js';
import { command, type Options, type StoreCommandInput } from './run-command.js';
import { controlContext } from './thread/control-context.js';
import { runStored } from './thread/run-stored.js';
import { readInputs, readThreadOptions, withStartOptions } from './thread/start-options.js';
import { withWait } from './thread/wait-for-end.js';

export function register(run: Command, context: CliContext): void {
  withWait(withStartOptions(withJson(run)))
    .argument('<workflow>', 'a name, or the path of a definition (./review.yaml)')
    .action(command(context, start));
}

async function start(
  input: StoreCommandInput,
  args: readonly string[],
  options: Options,
): Promise<number> {
  const { store, clock } = input;
  const { program, limits } = controlContext(input);
  await recoverDead(store, clock, limits);
  const early = startEarly(store, program, limits);
  let stored: Awaited<ReturnType<typeof storeThread>>;
  try {
    stored = await storeThread(input, args, options);
  } catch (error) {
    early?.dismiss();
    throw error;
  }
  return runStored(input, stored, { wait: options.wait === true, early });
}

/** Checks what was asked for, and stores the thread. */
async function storeThread(
  input: StoreCommandInput,
  args: readonly string[],
  options: Options,
): Promise<{ id: string; workerKey: string }> {
  const { store, clock } = input;
  const threadOptions = readThreadOptions(options);
  const inputs = readInputs(options, input.cwd);
  const { resolveWorkflow } = await import('../registry/index.js');
  const workflow = await resolveWorkflow(store, args[0] ?? '', { cwd: input.cwd });
  if (workflow.definition !== null)
    await checkStartRequest(workflow.definition, { agents: threadOptions.agents, inputs });
  await checkAgents(store, workflow.name, threadOptions.agents);
  return startThread(
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
}

async function readPrompt({ stdin }: StoreCommandInput, options: Options): Promise<string> {
  const given = typeof options.prompt === 'string' ? options.prompt : '';
  return given === '-' ? (await readStdin(stdin, PROMPT_MAX_BYTES)).toString('utf8') : given;
}
