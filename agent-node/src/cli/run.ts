import { PROMPT_MAX_BYTES } from '@uncaged/protocol/limits';
import type { Command } from 'commander';
import {
  checkAgents,
  checkStartRequest,
  readLimits,
  recoverDead,
  startThread,
} from '../executor/index.js';
import type { CliContext } from './context.js';
import { withJson } from './program.js';
import { readStdin } from './read-stdin.js';
import { command, type Options, type StoreCommandInput } from './run-command.js';
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
  const { store, clock, env } = input;
  await recoverDead(store, clock, readLimits(env));
  const threadOptions = readThreadOptions(options);
  const inputs = readInputs(options, input.cwd);
  const { resolveWorkflow } = await import('../registry/index.js');
  const workflow = await resolveWorkflow(store, args[0] ?? '', { cwd: input.cwd });
  if (workflow.definition !== null)
    await checkStartRequest(workflow.definition, { agents: threadOptions.agents, inputs });
  await checkAgents(store, workflow.name, threadOptions.agents);
  const stored = startThread(
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
  return runStored(input, stored, options.wait === true);
}

async function readPrompt({ stdin }: StoreCommandInput, options: Options): Promise<string> {
  const given = typeof options.prompt === 'string' ? options.prompt : '';
  return given === '-' ? (await readStdin(stdin, PROMPT_MAX_BYTES)).toString('utf8') : given;
}
