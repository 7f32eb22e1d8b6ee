import { Problem } from '@uncaged/protocol/problem';
import { type CommandAgentOptions, createCommandAgent } from './command.js';
import type { AgentConfig } from './config.js';
import { createScriptedAgent } from './scripted.js';
import type { Agent, NestedWorkflow } from './types.js';

export type CreateAgentOptions = CommandAgentOptions;

/** The agent behind a name of `config.agents`. Throws unsupported-kind. */
export function createAgent(
  name: string,
  config: AgentConfig,
  options: CreateAgentOptions,
): Agent | NestedWorkflow {
  if ('preset' in config) throw unsupported(name, `is a preset (${String(config.preset)})`);
  switch (config.kind) {
    case 'command':
      return createCommandAgent(name, config, options);
    case 'scripted':
      return createScriptedAgent(name, config);
    case 'workflow':
      return {
        kind: 'workflow',
        name,
        workflow: config.workflow,
        maxDepth: config.maxDepth ?? null,
      };
    default:
      throw unsupported(name, `is of kind ${config.kind}`);
  }
}

function unsupported(name: string, what: string): Problem {
  return new Problem(
    'unsupported-kind',
    `agent ${name} ${what}, which this version cannot run; kinds that exist: command, scripted, workflow`,
  );
}
