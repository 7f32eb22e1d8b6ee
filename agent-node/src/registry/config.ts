import { isProblem, Problem } from '@uncaged/protocol/problem';
import type { z } from 'zod';
import { type AgentConfig, parseAgentConfig } from '../agents/index.js';
import { configSchema, type NodeConfig, withDefaults } from './config-schema.js';
import { didYouMean } from './near-names.js';
import { configProblem, type RegistryFile, readRegistry } from './registry-file.js';

/** Section `config` of `<root>/workflow.yaml`, checked. Throws invalid-config with line and column. */
export async function readConfig(root: string): Promise<NodeConfig> {
  return configOf(await readRegistry(root));
}

export function configOf(file: RegistryFile): NodeConfig {
  const parsed = configSchema.safeParse(file.config ?? {});
  if (!parsed.success) {
    const errors = parsed.error.issues.flatMap((issue) => explain(issue));
    throw configProblem(file.path, file.source, errors);
  }
  const agents = new Map<string, AgentConfig>();
  const errors: ConfigError[] = [];
  for (const [name, raw] of Object.entries(parsed.data.agents ?? {})) {
    try {
      agents.set(name, parseAgentConfig(name, raw));
    } catch (error) {
      if (!isProblem(error, 'invalid-config')) throw error;
      errors.push({ path: ['config', 'agents', name], message: `is not valid: ${error.message}.` });
    }
  }
  if (errors.length > 0) throw configProblem(file.path, file.source, errors);
  return withDefaults(parsed.data, agents);
}

type ConfigError = { path: (string | number)[]; message: string };

/** Never quotes values: they may be keys. */
function explain(issue: z.core.$ZodIssue): ConfigError[] {
  const path = ['config', ...(issue.path as (string | number)[])];
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length === 0 ? Object.keys(configSchema.shape) : [];
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `is not a known setting.${didYouMean(key, known)}`,
    }));
  }
  return [{ path, message: `is not valid: ${issue.message}.` }];
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
