import { z } from 'zod';
import { Problem } from '../problem/index.js';
import type { WorkflowDefinition } from './create-workflow.js';
import { promptOf, type RoleDefinitions, toJsonSchema } from './role-definition.js';
import { FALLBACK, tableEntries } from './table.js';

/** How control passes from one role to another, for people. */
export const descriptorEdgeSchema = z.object({
  from: z.string(),
  to: z.string(),
  condition: z.string(),
  conditionDescription: z.string().nullable().default(null),
});

const rolePromptSchema = z.union([
  z.object({ prompt: z.string() }),
  // What bundles of older tools say.
  z
    .object({ systemPrompt: z.string() })
    .transform(({ systemPrompt }) => ({ prompt: systemPrompt })),
]);

const descriptorRoleSchema = z
  .object({ description: z.string(), schema: z.record(z.string(), z.unknown()) })
  .and(rolePromptSchema);

/** What a workflow looks like from outside: a bundle's `descriptor` export, and what the API shows of a definition. */
export const descriptorSchema = z.object({
  description: z.string(),
  roles: z.record(z.string(), descriptorRoleSchema),
  graph: z.object({ edges: z.array(descriptorEdgeSchema) }),
});
export type Descriptor = {
  description: string;
  roles: Record<string, DescriptorRole>;
  graph: { edges: DescriptorEdge[] };
};
export type DescriptorRole = {
  description: string;
  prompt: string;
  schema: Record<string, unknown>;
};
export type DescriptorEdge = z.infer<typeof descriptorEdgeSchema>;

/** Descriptor of a workflow in code. A moderator that is a function has no edges to show. */
export function buildDescriptor<const R extends RoleDefinitions>(
  definition: WorkflowDefinition<R>,
): Descriptor {
  const roles = Object.entries(definition.roles).map(([name, role]): [string, DescriptorRole] => [
    name,
    {
      description: role.description,
      prompt: promptOf(role),
      schema: toJsonSchema(name, role.schema) ?? {},
    },
  ]);
  return {
    description: definition.description ?? '',
    roles: Object.fromEntries(roles),
    graph: { edges: edgesOf(definition.moderator) },
  };
}

function edgesOf<R extends RoleDefinitions>(
  moderator: WorkflowDefinition<R>['moderator'],
): DescriptorEdge[] {
  if (typeof moderator === 'function') return [];
  return tableEntries(moderator).flatMap(([from, rows]) =>
    rows.map(({ condition, role }) => ({
      from,
      to: role,
      condition: condition === FALLBACK ? FALLBACK : condition.name,
      conditionDescription: condition === FALLBACK ? null : (condition.description ?? null),
    })),
  );
}

/** A descriptor from elsewhere in its normal form. Throws invalid-definition with every fault in `details.errors`. */
export function validateDescriptor(value: unknown): Descriptor {
  const result = descriptorSchema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.map(({ path, message }) => ({
    path: path.map(String),
    message,
  }));
  const first = errors[0];
  throw new Problem(
    'invalid-definition',
    `The descriptor is not valid at ${first?.path.join('.') || 'its top'}: ${first?.message}.`,
    { details: { errors } },
  );
}
