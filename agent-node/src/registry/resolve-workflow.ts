import { basename, extname, isAbsolute, resolve } from 'node:path';
import { type Hash, hashSchema, workflowNameSchema } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Definition } from '@uncaged/protocol/workflow';
import type { Store, WorkflowKind } from '../store/index.js';
import { builtinDefinition, builtinNames } from './builtins.js';
import { configOf } from './config.js';
import { readDefinitionFile, requireDefinition } from './definition-source.js';
import { didYouMean, quoted } from './near-names.js';
import { findProjectWorkflow, listProjectWorkflows } from './project-workflows.js';
import { type RegistryFile, readRegistry } from './registry-file.js';

export type WorkflowOrigin = 'file' | 'project' | 'registry' | 'builtin' | 'version';

/** A workflow that was asked for, pinned to the version it is now; its definition node is stored. */
export type ResolvedWorkflow = {
  name: string;
  kind: WorkflowKind;
  version: Hash;
  /** Null for bundles. */
  definition: Definition | null;
  origin: WorkflowOrigin;
  /** Of the file, for `file` and `project`. */
  path: string | null;
};

/**
 * What `nameOrPath` means: a path (with a slash or an extension of a workflow file) is that file; 13 upper-case
 * characters are a version; else a name, looked up in `.workflows/` upward from `cwd`, the registry, the built-ins.
 * `cwd` null: only versions and names, and project workflows do not count.
 * Throws workflow-not-found, version-not-found, file-not-found, invalid-definition, invalid-id, invalid-config.
 */
export async function resolveWorkflow(
  store: Store,
  nameOrPath: string,
  { cwd }: { cwd: string | null },
): Promise<ResolvedWorkflow> {
  if (cwd !== null && isPath(nameOrPath))
    return fromFile(store, nameOrPath, resolve(cwd, nameOrPath), 'file');
  if (hashSchema.safeParse(nameOrPath).success) return fromVersion(store, nameOrPath);
  const name = requireWorkflowName(nameOrPath);

  const path = cwd === null ? null : await findProjectWorkflow(cwd, name);
  if (path !== null) return fromFile(store, path, path, 'project', name);

  const registry = await readRegistry(store.root);
  const entry = registry.entries.get(name);
  if (entry !== undefined) {
    const definition =
      entry.kind === 'definition' ? storedDefinition(store, entry.hash, `"${name}"`) : null;
    return {
      name,
      kind: entry.kind,
      version: entry.hash,
      definition,
      origin: 'registry',
      path: null,
    };
  }
  const builtin = builtinDefinition(name);
  if (builtin !== null) return stored(store, builtin.definition, 'builtin', null);
  throw await workflowNotFound(registry, name, cwd);
}

/** Throws invalid-id: a workflow's name is lower-case words joined by "-". */
export function requireWorkflowName(text: string): string {
  if (workflowNameSchema.safeParse(text).success) return text;
  const what =
    text === '' ? 'The name of the workflow is empty.' : `${quoted(text)} is not a workflow name.`;
  throw new Problem(
    'invalid-id',
    `${what} Names are lower-case words joined by "-", such as "solve-issue"; a file is given as ./file.yaml.`,
  );
}

/** workflow-not-found with the names that may have been meant. `cwd` null: project workflows do not count. */
export async function workflowNotFound(
  registry: RegistryFile,
  name: string,
  cwd: string | null,
): Promise<Problem> {
  const project = cwd === null ? [] : await listProjectWorkflows(cwd);
  const known = [
    ...registry.entries.keys(),
    ...builtinNames(),
    ...project.map((entry) => entry.name),
  ];
  return new Problem(
    'workflow-not-found',
    `There is no workflow "${name}".${didYouMean(name, known)} \`uwf workflow list\` shows what there is.`,
  );
}

/** The definition of a node in the store. Throws version-not-found. */
export function storedDefinition(store: Store, hash: Hash, what: string): Definition {
  const node = store.nodes.get(hash);
  if (node?.type === 'definition') return node.payload;
  throw new Problem(
    'version-not-found',
    `Version ${hash} of ${what} is not in the store of ${store.root}. Register the file again with \`uwf workflow add\`.`,
  );
}

function isPath(text: string): boolean {
  return (
    /[/\\]/.test(text) ||
    isAbsolute(text) ||
    /\.(ya?ml|json|js|mjs)$/i.test(text) ||
    text === '.' ||
    text === '..'
  );
}

async function fromFile(
  store: Store,
  shown: string,
  path: string,
  origin: 'file' | 'project',
  name?: string,
): Promise<ResolvedWorkflow> {
  if (path.endsWith('.js') || path.endsWith('.mjs')) throw bundleUnsupported(shown);
  const { agents } = configOf(await readRegistry(store.root));
  const checked = await readDefinitionFile(path, [...agents.keys()]);
  const definition = requireDefinition(checked, shown);
  if (name !== undefined && definition.name !== name) {
    throw new Problem(
      'invalid-definition',
      `${path} is named "${basename(path, extname(path))}" but says name: ${quoted(definition.name)}. Make the two the same.`,
    );
  }
  return stored(store, definition, origin, path);
}

function fromVersion(store: Store, hash: Hash): ResolvedWorkflow {
  const node = store.nodes.get(hash);
  if (node?.type !== 'definition') {
    throw new Problem(
      'version-not-found',
      `There is no workflow version ${hash}. \`uwf workflow history NAME\` shows them.`,
    );
  }
  const { payload: definition } = node;
  return {
    name: definition.name,
    kind: 'definition',
    version: hash,
    definition,
    origin: 'version',
    path: null,
  };
}

/** `normal` is enough: the thread that is made with it is committed with an fsync, and this stands before it in the WAL. */
function stored(
  store: Store,
  definition: Definition,
  origin: WorkflowOrigin,
  path: string | null,
): ResolvedWorkflow {
  const { hash: version, put } = store.nodes.prepare('definition', definition);
  if (!store.nodes.has(version)) store.write('normal', put);
  return { name: definition.name, kind: 'definition', version, definition, origin, path };
}

export function bundleUnsupported(what: string): Problem {
  return new Problem(
    'unsupported-kind',
    `${what} is a bundle; this version runs definitions (YAML or JSON) only. Write the workflow as YAML.`,
  );
}
