import { Problem } from '@uncaged/protocol/problem';
import { type ValueFault, valueFaults } from '@uncaged/protocol/workflow';
import { type AgentConfig, checkAgentConfig } from '../agents/index.js';
import { type ConfigError, within } from './config-error.js';
import { configSchema, type NodeConfig, withDefaults } from './config-schema.js';
import { didYouMean } from './near-names.js';
import { configProblem, type RegistryFile, readRegistry } from './registry-file.js';

/** Section `config` of `<root>/workflow.yaml`, checked. Throws invalid-config with line and column. */
export async function readConfig(root: string): Promise<NodeConfig> {
  return configOf(await readRegistry(root));
}

export function configOf(file: RegistryFile): NodeConfig {
  const given = file.config ?? {};
  const parsed = configSchema.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys' && issue.path.length === 0
        ? issue.keys.map(unknownSetting)
        : valueFaults([issue], given),
    );
    throw configProblem(file.path, file.source, within(['config'], faults));
  }
  const agents = new Map<string, AgentConfig>();
  const errors: ConfigError[] = [];
  for (const [name, raw] of Object.entries(parsed.data.agents ?? {})) {
    const { config, faults } = checkAgentConfig(raw);
    if (faults === null) agents.set(name, config);
    else errors.push(...within(['config', 'agents', name], faults));
  }
  if (errors.length > 0) throw configProblem(file.path, file.source, errors);
  return withDefaults(parsed.data, agents);
}

function unknownSetting(key: string): ValueFault {
  const fix = didYouMean(key, Object.keys(configSchema.shape)).trim();
  return { path: [key], message: 'is not a known setting.', fix };
}

export type AgentChoice = {
  workflow: string;
  role: string;
  /** What the definition's role asks for. */
  definitionAgent: string | null;
  /** Role → agent, given with the run. */
  overrides: Readonly<Record<string, string>>;
};

/**
 * Name of the agent that carries a role out: the run's choice, then config.workflows, then the definition, then
 * config.defaultAgent. Throws unknown-agent when none is said or it is not configured.
 */
export function agentBinding(config: NodeConfig, choice: AgentChoice): string {
  const { workflow, role } = choice;
  const given = Object.hasOwn(choice.overrides, role) ? choice.overrides[role] : undefined;
  const name =
    given ??
    config.workflowAgents.get(workflow)?.get(role) ??
    choice.definitionAgent ??
    config.defaultAgent;
  const where = `Role "${role}" of workflow "${workflow}"`;
  if (name === null) {
    throw new Problem(
      'unknown-agent',
      `${where} has no agent. Set config.defaultAgent in workflow.yaml, or give one with --agent ${role}=NAME.`,
    );
  }
  if (!config.agents.has(name)) {
    const known = [...config.agents.keys()];
    const list =
      known.length === 0 ? 'No agent is configured.' : `Configured: ${known.join(', ')}.`;
    throw new Problem(
      'unknown-agent',
      `${where} asks for agent "${name}", which this node does not know.${didYouMean(name, known)} ${list} Add it under config.agents in workflow.yaml.`,
    );
  }
  return name;
}
