import { Problem } from '@uncaged/protocol/problem';
import type { Definition } from '@uncaged/protocol/workflow';
import type { Store } from '../store/index.js';

/**
 * What a definition can tell before a thread of it is stored. Throws invalid-argument for an agent of a role it does not have,
 * invalid-inputs for inputs its schema refuses.
 */
export async function checkStartRequest(
  definition: Definition,
  request: { agents: Readonly<Record<string, string>>; inputs: Record<string, unknown> | null },
): Promise<void> {
  checkRoles(definition, request.agents);
  if (definition.inputs === null) return;
  const { createValidator } = await import('../extract/index.js');
  const errors = createValidator().errors(definition.inputs, request.inputs ?? {}, 'the inputs');
  if (errors.length > 0)
    throw new Problem(
      'invalid-inputs',
      `the inputs of ${definition.name} are not valid: ${errors.join('; ')}`,
      { details: { errors } },
    );
}

/**
 * Agents that are named for a run, by role: an unknown one is told now, not when its role's turn comes. What the definition
 * names may still be configured until then. Throws unknown-agent, invalid-config.
 */
export async function checkAgents(
  store: Store,
  workflow: string,
  agents: Readonly<Record<string, string>>,
): Promise<void> {
  const roles = Object.keys(agents);
  if (roles.length === 0) return;
  const { agentBinding, readConfig } = await import('../registry/index.js');
  const config = await readConfig(store.root);
  for (const role of roles)
    agentBinding(config, { workflow, role, definitionAgent: null, overrides: agents });
}

/** A misspelt role would leave the one that was meant to somebody else. Throws invalid-argument. */
export function checkRoles(
  { name, roles }: Definition,
  agents: Readonly<Record<string, string>>,
): void {
  for (const [role, agent] of Object.entries(agents)) {
    if (!Object.hasOwn(roles, role))
      throw new Problem(
        'invalid-argument',
        `agent ${role}=${agent}: workflow ${name} has no role ${role}; it has ${Object.keys(roles).join(', ')}`,
      );
  }
}
