import { z } from 'zod';

/**
 * A checked workflow definition: the payload of a `definition` node (docs/data.md). Every field is present, unknown = null;
 * no defaults filled in; durations in ms; `__start__`/`__end__` instead of the files' `$START`/`$END`.
 */
const jsonObject = z.record(z.string(), z.unknown());

export const roleSchema = z.strictObject({
  description: z.string().nullable(),
  goal: z.string().nullable(),
  capabilities: z.array(z.string()).nullable(),
  procedure: z.string().nullable(),
  output: z.string().nullable(),
  /** JSON Schema of the role's meta. */
  frontmatter: jsonObject.nullable(),
  /** Shell script that is the role; then no agent is asked. */
  run: z.string().nullable(),
  agent: z.string().nullable(),
  /** ms */
  timeout: z.int().positive().nullable(),
  retry: z
    .strictObject({
      maxAttempts: z.int().positive().nullable(),
      backoff: z.int().nonnegative().nullable(),
    })
    .nullable(),
  maxVisits: z.int().positive().nullable(),
  workspace: z.strictObject({ worktree: z.boolean().nullable() }).nullable(),
});

export const edgeSchema = z.strictObject({ role: z.string(), prompt: z.string().nullable() });

export const ruleSchema = z.strictObject({
  from: z.string(),
  to: z.string(),
  when: z.string().nullable(),
  prompt: z.string().nullable(),
});

export const definitionSchema = z.strictObject({
  name: z.string(),
  description: z.string().nullable(),
  inputs: jsonObject.nullable(),
  maxSteps: z.int().positive().nullable(),
  budget: z
    .strictObject({ tokens: z.int().positive().nullable(), usd: z.number().positive().nullable() })
    .nullable(),
  roles: z.record(z.string(), roleSchema),
  /** graph[role][status]; one of graph and moderator is null. */
  graph: z.record(z.string(), z.record(z.string(), edgeSchema)).nullable(),
  moderator: z.array(ruleSchema).nullable(),
});

export type Definition = z.infer<typeof definitionSchema>;
export type DefinitionRole = z.infer<typeof roleSchema>;
export type DefinitionEdge = z.infer<typeof edgeSchema>;
export type DefinitionRule = z.infer<typeof ruleSchema>;
