import { END } from '../ids/index.js';
import { Problem } from '../problem/index.js';
import { type Adapter, runAdapterRole } from './adapter.js';
import type {
  Moderator,
  Next,
  RunRoleResult,
  ThreadContext,
  WorkflowRun,
  WorkflowRuntime,
} from './contract.js';
import {
  promptOf,
  type RoleDefinition,
  type RoleDefinitions,
  toJsonSchema,
} from './role-definition.js';
import { type ModeratorTable, tableModerator } from './table.js';

/** A workflow in code. */
export type WorkflowDefinition<R extends RoleDefinitions = RoleDefinitions> = {
  description?: string;
  roles: R;
  moderator: ModeratorTable<R> | Moderator;
};

/** Who carries roles out. Nothing given: the engine's agents, by `runtime.runRole`. */
export type WorkflowBinding<R extends RoleDefinitions = RoleDefinitions> = {
  adapter?: Adapter | null;
  /** Per role: another adapter, or the name of an agent binding. */
  overrides?: { readonly [K in keyof R]?: Adapter | string } | null;
};

/** Keeps the types of roles, so that metas are typed in conditions and prompts. */
export function defineWorkflow<const R extends RoleDefinitions>(
  definition: WorkflowDefinition<R>,
): WorkflowDefinition<R> {
  return definition;
}

/**
 * The generator of a workflow: ask the moderator, run the role, yield what it gave, until the moderator says the end.
 * Between two yields the engine commits the step and appends it to `thread.steps`.
 * Throws invalid-definition at once for a schema that cannot be said in JSON; the generator throws what the moderator
 * and the roles throw, and no-route for a role that is not defined.
 */
export function createWorkflow<const R extends RoleDefinitions>(
  definition: WorkflowDefinition<R>,
  binding: WorkflowBinding<R> = {},
): WorkflowRun {
  const moderator =
    typeof definition.moderator === 'function'
      ? definition.moderator
      : tableModerator(definition.moderator);
  const runners = new Map<string, RoleRunner>();
  for (const [name, role] of Object.entries(definition.roles)) {
    const override = ownOverride(binding, name);
    runners.set(name, createRunner(name, role, binding.adapter ?? null, override));
  }
  return async function* run(thread, runtime) {
    for (;;) {
      runtime.signal.throwIfAborted();
      const next = await moderator(thread);
      if (next.role === END) return { returnCode: 0, summary: next.prompt || endOf(thread) };
      const runner = runners.get(next.role);
      if (runner === undefined) throw unknownRole(next.role, runners);
      const { contentHash, meta, refs, childThread } = await runner(next, thread, runtime);
      yield { role: next.role, contentHash, meta, refs, childThread };
    }
  };
}

type RoleRunner = (
  next: Next,
  thread: ThreadContext,
  runtime: WorkflowRuntime,
) => Promise<RunRoleResult>;

function createRunner(
  name: string,
  role: RoleDefinition,
  adapter: Adapter | null,
  override: Adapter | string | null,
): RoleRunner {
  const prompt = promptOf(role);
  const own =
    typeof override === 'function' ? override : typeof override === 'string' ? null : adapter;
  if (own !== null) {
    const bound = { name, schema: role.schema, run: own(prompt, role.schema) };
    return (_next, thread, runtime) => runAdapterRole(bound, thread, runtime);
  }
  const schema = toJsonSchema(name, role.schema);
  const agent = typeof override === 'string' ? override : (role.agent ?? null);
  return (next, _thread, runtime) =>
    runtime.runRole({
      role: name,
      prompt,
      task: next.prompt,
      schema,
      ...(agent === null ? {} : { agent }),
    });
}

function ownOverride(binding: WorkflowBinding, name: string): Adapter | string | null {
  const overrides = binding.overrides ?? {};
  return Object.hasOwn(overrides, name) ? (overrides[name] ?? null) : null;
}

function endOf(thread: ThreadContext): string {
  const count = thread.steps.length;
  return `Completed after ${count} ${count === 1 ? 'step' : 'steps'}.`;
}

function unknownRole(name: string, runners: ReadonlyMap<string, unknown>): Problem {
  return new Problem(
    'no-route',
    `The moderator chose role "${name}", which the workflow does not have; it has ${[...runners.keys()].join(', ')}.`,
    { details: { role: name } },
  );
}
