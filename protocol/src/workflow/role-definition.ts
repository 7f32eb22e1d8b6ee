import { z } from 'zod';
import { Problem } from '../problem/index.js';
import type { Meta } from './contract.js';

/** JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

/** What a role answers: a zod schema (typed), JSON Schema, or null for any object. */
export type RoleSchema = z.ZodType<Meta> | JsonSchema | null;

/** A role of a workflow in code. */
export type RoleDefinition<S extends RoleSchema = RoleSchema> = {
  /** For people: one line. */
  description: string;
  /** For the agent: what the role is. */
  prompt: string;
  schema: S;
  /** Agent binding to ask; absent: what the thread, the workflow or the node says. */
  agent?: string | null;
};

export type RoleDefinitions = Record<string, RoleDefinition>;

/** Type of the meta that a role of this definition answers. */
export type MetaOf<R extends RoleDefinition> =
  R['schema'] extends z.ZodType<infer M> ? (M extends Meta ? M : Meta) : Meta;

/**
 * JSON Schema of a role's meta; `.meta({casRef: true})` and other annotations are kept. `role` names it in the problem.
 * Throws invalid-definition for a zod schema that JSON Schema cannot say (transforms, dates, bigint).
 */
export function toJsonSchema(role: string, schema: RoleSchema): JsonSchema | null {
  if (schema === null || !isZodSchema(schema)) return schema;
  try {
    return z.toJSONSchema(schema) as JsonSchema;
  } catch (error) {
    throw new Problem(
      'invalid-definition',
      `The schema of role "${role}" cannot be written as JSON Schema: ${(error as Error).message}. Use plain types.`,
      { cause: error },
    );
  }
}

/** A bundle brings its own copy of zod, so `instanceof` says nothing. */
function isZodSchema(schema: z.ZodType<Meta> | JsonSchema): schema is z.ZodType<Meta> {
  return '_zod' in schema;
}

/** Older bundles say `systemPrompt`. */
export function promptOf(role: RoleDefinition & { systemPrompt?: string }): string {
  return role.prompt ?? role.systemPrompt ?? '';
}
