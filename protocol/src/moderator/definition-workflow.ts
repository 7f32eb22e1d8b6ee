import {
  createWorkflow,
  type Definition,
  type Descriptor,
  type DescriptorEdge,
  type RoleDefinition,
  type WorkflowRun,
} from '../workflow/index.js';
import { createModerator } from './create-moderator.js';
import type { RulesOptions } from './jsonata-rules.js';
import { rolePrompt } from './role-prompt.js';

/** A definition as the generator that bundles export: one engine runs both. Throws rule-failed (see createModerator). */
export function definitionWorkflow(
  definition: Definition,
  options: RulesOptions = {},
): WorkflowRun {
  const roles = Object.entries(definition.roles).map(([name, role]): [string, RoleDefinition] => [
    name,
    {
      description: role.description ?? '',
      prompt: rolePrompt(role),
      schema: role.frontmatter,
      agent: role.agent,
    },
  ]);
  return createWorkflow({
    roles: Object.fromEntries(roles),
    moderator: createModerator(definition, options),
  });
}

/** What a definition looks like from outside, in the form that bundles export. */
export function describeDefinition(definition: Definition): Descriptor {
  const roles = Object.entries(definition.roles).map(([name, role]) => [
    name,
    {
      description: role.description ?? '',
      prompt: rolePrompt(role),
      schema: role.frontmatter ?? {},
    },
  ]);
  return {
    description: definition.description ?? '',
    roles: Object.fromEntries(roles),
    graph: { edges: edgesOf(definition) },
  };
}

function edgesOf(definition: Definition): DescriptorEdge[] {
  if (definition.moderator !== null) {
    return definition.moderator.map(({ from, to, when, prompt }) => ({
      from,
      to,
      condition: when ?? 'FALLBACK',
      conditionDescription: prompt,
    }));
  }
  return Object.entries(definition.graph ?? {}).flatMap(([from, edges]) =>
    Object.entries(edges).map(([status, { role, prompt }]) => ({
      from,
      to: role,
      condition: status,
      conditionDescription: prompt,
    })),
  );
}
