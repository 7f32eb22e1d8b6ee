import type { Hash, ThreadId } from '../ids/index.js';
import { hashSchema } from '../ids/index.js';
import { Problem } from '../problem/index.js';
import { casRefTexts } from './cas-ref.js';
import type { Meta, RunRoleResult, ThreadContext, WorkflowRuntime } from './contract.js';
import { type RoleSchema, toJsonSchema } from './role-definition.js';

export type AdapterResult = { meta: Meta; childThread?: ThreadId | null };

/** Carries a role out once: resolves to its result, or yields it (the last one counts). */
export type AdapterRole = (
  thread: ThreadContext,
  runtime: WorkflowRuntime,
) => Promise<AdapterResult> | AsyncIterable<AdapterResult>;

/**
 * A bundle's own way to carry out roles, instead of the engine's agents. `schema` is the role's, as written. Attempts,
 * traces and usage of an adapter's calls are its own affair; the engine sees the meta.
 */
export type Adapter = (prompt: string, schema: RoleSchema) => AdapterRole;

/** Runs a role by an adapter; its content is the JSON text of the meta. Throws bundle-failed when it gives none. */
export async function runAdapterRole(
  role: { name: string; schema: RoleSchema; run: AdapterRole },
  thread: ThreadContext,
  runtime: WorkflowRuntime,
): Promise<RunRoleResult> {
  const result = await lastResult(role.run(thread, runtime));
  if (result === null || typeof result.meta !== 'object' || result.meta === null) {
    throw new Problem(
      'bundle-failed',
      `The adapter of role "${role.name}" gave no meta. It must resolve to, or yield, {meta, childThread}.`,
    );
  }
  const contentHash = await runtime.cas.put(JSON.stringify(result.meta));
  return {
    contentHash,
    meta: result.meta,
    refs: [contentHash, ...(await knownRefs(role.name, role.schema, result.meta, runtime))],
    childThread: result.childThread ?? null,
  };
}

async function lastResult(
  running: Promise<AdapterResult> | AsyncIterable<AdapterResult>,
): Promise<AdapterResult | null> {
  if (!(Symbol.asyncIterator in running)) return (await running) ?? null;
  let last: AdapterResult | null = null;
  for await (const result of running) last = result;
  return last;
}

/** Values marked casRef that are addresses of something stored. */
async function knownRefs(
  role: string,
  schema: RoleSchema,
  meta: Meta,
  runtime: WorkflowRuntime,
): Promise<Hash[]> {
  const known: Hash[] = [];
  for (const text of casRefTexts(toJsonSchema(role, schema), meta)) {
    if (hashSchema.safeParse(text).success && (await runtime.cas.get(text)) !== null) {
      known.push(text);
    }
  }
  return known;
}
