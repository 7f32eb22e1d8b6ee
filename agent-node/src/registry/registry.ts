import { access } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Hash } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Definition } from '@uncaged/protocol/workflow';
import type { Store, WorkflowKind } from '../store/index.js';
import { builtinDefinition, builtinHash, builtinNames } from './builtins.js';
import { configOf } from './config.js';
import {
  checkDefinitionText,
  type DefinitionSource,
  hasErrors,
  readDefinitionFile,
  requireDefinition,
} from './definition-source.js';
import { quoted } from './near-names.js';
import { listProjectWorkflows } from './project-workflows.js';
import type { RegistryEntry, RegistryVersion } from './registry-entry.js';
import { editRegistry, type RegistryFile, readRegistry } from './registry-file.js';
import {
  bundleUnsupported,
  requireWorkflowName,
  resolveWorkflow,
  type WorkflowOrigin,
  workflowNotFound,
} from './resolve-workflow.js';
import type { SourceFinding } from './yaml-source.js';

export type AddedWorkflow = {
  name: string;
  hash: Hash;
  /** Head before; null for a new name. */
  previous: Hash | null;
  /** `unchanged`: the head had this hash already. */
  change: 'added' | 'updated' | 'unchanged';
  /** Warnings. */
  findings: SourceFinding[];
};

/**
 * Checks a file and makes it the head of its name. Stores first, then edits the registry, so a name never leads to
 * nothing. Throws invalid-definition, invalid-argument (another name than the file's), file-not-found, unsupported-kind.
 */
export async function addDefinition(
  store: Store,
  file: string,
  options: { name?: string; cwd: string; clock: () => number },
): Promise<AddedWorkflow> {
  if (/\.m?js$/.test(file)) throw bundleUnsupported(file);
  const agents = await knownAgents(store);
  const checked = await readDefinitionFile(resolve(options.cwd, file), agents);
  return addChecked(store, checked, file, options);
}

/** The same for text at hand; `label` stands for the file in messages. */
export async function addDefinitionText(
  store: Store,
  text: string,
  options: { name?: string; label: string; clock: () => number },
): Promise<AddedWorkflow> {
  const checked = await checkDefinitionText(text, await knownAgents(store));
  return addChecked(store, checked, options.label, options);
}

async function knownAgents(store: Store): Promise<string[]> {
  return [...configOf(await readRegistry(store.root)).agents.keys()];
}

async function addChecked(
  store: Store,
  checked: DefinitionSource,
  file: string,
  options: { name?: string; clock: () => number },
): Promise<AddedWorkflow> {
  const wanted = options.name === undefined ? null : requireWorkflowName(options.name);
  const definition = requireDefinition(checked, file);
  const { name } = definition;
  if (wanted !== null && wanted !== name) {
    throw new Problem(
      'invalid-argument',
      `${file} says name: ${quoted(name)}, not ${quoted(wanted)}. Leave the name out, or change it in the file.`,
    );
  }
  const { hash, source } = store.write('full', () => ({
    hash: store.nodes.put('definition', definition),
    source: store.nodes.putText(checked.source),
  }));
  const version: RegistryVersion = { hash, kind: 'definition', timestamp: options.clock(), source };
  const result = await editRegistry(store.root, (registry) => {
    const head = registry.entries.get(name);
    if (head === undefined) {
      registry.set(name, { ...version, history: [] });
      return { previous: null, change: 'added' as const };
    }
    if (head.hash === hash && head.kind === 'definition') {
      // Comments may differ: the text that is shown is the one that was given last.
      if (head.source !== source) registry.set(name, { ...head, source });
      return { previous: head.hash, change: 'unchanged' as const };
    }
    registry.set(name, { ...version, history: [versionOf(head), ...head.history] });
    return { previous: head.hash, change: 'updated' as const };
  });
  if (result.change !== 'unchanged') changed(store, name, hash);
  return { name, hash, ...result, findings: checked.findings };
}

export type ListedWorkflow = {
  name: string;
  origin: 'project' | 'registry' | 'builtin';
  kind: WorkflowKind;
  /** Null when a project's file is broken. */
  hash: Hash | null;
  description: string | null;
  /** When it was registered, ms since epoch; null outside the registry. */
  timestamp: number | null;
  /** Versions that can be rolled back to. */
  history: number;
  /** Of a project's file. */
  path: string | null;
  /** Why a project's file cannot be run. */
  problem: string | null;
};

/**
 * By name, each once: what a run by this name would take. Nothing is stored. `cwd` null: without project workflows.
 * `registry`: what was read of it already.
 */
export async function listWorkflows(
  store: Store,
  { cwd, registry }: { cwd: string | null; registry?: RegistryFile },
): Promise<ListedWorkflow[]> {
  const hashOf = (definition: Definition) => store.nodes.prepare('definition', definition).hash;
  const found = new Map<string, ListedWorkflow>();
  const none = {
    kind: 'definition',
    timestamp: null,
    history: 0,
    path: null,
    problem: null,
  } as const;
  for (const name of builtinNames()) {
    const { definition } = builtinDefinition(name)!;
    const { description } = definition;
    const hash = builtinHash(definition, hashOf);
    found.set(name, { ...none, name, origin: 'builtin', hash, description });
  }
  for (const [name, entry] of (registry ?? (await readRegistry(store.root))).entries) {
    const node = entry.kind === 'definition' ? store.nodes.get(entry.hash) : null;
    found.set(name, {
      ...none,
      name,
      origin: 'registry',
      kind: entry.kind,
      hash: entry.hash,
      description: node?.type === 'definition' ? node.payload.description : null,
      timestamp: entry.timestamp,
      history: entry.history.length,
    });
  }
  for (const { name, path } of cwd === null ? [] : await listProjectWorkflows(cwd)) {
    const { definition, findings } = await readDefinitionFile(path, null);
    const first = findings.find((finding) => finding.severity === 'error');
    const broken = definition === null || hasErrors(findings);
    found.set(name, {
      ...none,
      name,
      origin: 'project',
      hash: broken ? null : hashOf(definition),
      description: definition?.description ?? null,
      path,
      problem:
        first === undefined
          ? null
          : `${basename(path)}:${first.line}:${first.column}: ${first.message}`,
    });
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export type ShownWorkflow = {
  name: string;
  origin: WorkflowOrigin;
  kind: WorkflowKind;
  hash: Hash;
  definition: Definition | null;
  path: string | null;
  timestamp: number | null;
  /** Content hash of the registered source text. */
  source: Hash | null;
  history: RegistryVersion[];
};

/** One workflow as `resolveWorkflow` finds it, with the versions of the registry. */
export async function showWorkflow(
  store: Store,
  nameOrPath: string,
  { cwd }: { cwd: string | null },
): Promise<ShownWorkflow> {
  const { name, origin, kind, version, definition, path } = await resolveWorkflow(
    store,
    nameOrPath,
    { cwd },
  );
  const entry =
    origin === 'registry' ? (await readRegistry(store.root)).entries.get(name) : undefined;
  return {
    name,
    origin,
    kind,
    hash: version,
    definition,
    path,
    timestamp: entry?.timestamp ?? null,
    source: entry?.source ?? null,
    history: entry?.history ?? [],
  };
}

/** Takes the name out of the registry; its versions stay in the store until collected. */
export async function removeWorkflow(store: Store, text: string): Promise<void> {
  const name = requireWorkflowName(text);
  await requireEntry(store, name, 'removed');
  const removed = await editRegistry(store.root, (registry) => {
    if (!registry.entries.has(name)) return false;
    registry.delete(name);
    return true;
  });
  if (!removed) throw await workflowNotFound(await readRegistry(store.root), name, null);
  changed(store, name, null);
}

/** As `RegistryVersion`; a built-in was never registered. */
export type ListedVersion = Omit<RegistryVersion, 'timestamp'> & { timestamp: number | null };

/** The head first, then earlier versions, newest first. */
export async function workflowHistory(store: Store, text: string): Promise<ListedVersion[]> {
  const name = requireWorkflowName(text);
  const registry = await readRegistry(store.root);
  const entry = registry.entries.get(name);
  if (entry !== undefined) return [versionOf(entry), ...entry.history];
  const builtin = builtinDefinition(name);
  if (builtin === null) throw await workflowNotFound(registry, name, null);
  const { hash } = store.nodes.prepare('definition', builtin.definition);
  return [{ hash, kind: 'definition', timestamp: null, source: null }];
}

/**
 * An earlier version becomes the head: `history[0]`, or the one with `hash`. The head goes to the front of the history,
 * so a second rollback undoes the first. Throws version-not-found when it is not in the history, or not in the store.
 */
export async function rollbackWorkflow(
  store: Store,
  text: string,
  hash?: Hash,
): Promise<{ name: string; hash: Hash; previous: Hash }> {
  const name = requireWorkflowName(text);
  const entry = await requireEntry(store, name, 'rolled back');
  await requireStored(store, name, chosenVersion(name, entry, hash));
  const result = await editRegistry(store.root, (registry) => {
    const head = registry.entries.get(name);
    if (head === undefined)
      throw new Problem('workflow-not-found', `"${name}" was removed meanwhile.`);
    const chosen = chosenVersion(name, head, hash);
    const rest = head.history.filter((version) => version !== chosen);
    registry.set(name, { ...chosen, history: [versionOf(head), ...rest] });
    return { name, hash: chosen.hash, previous: head.hash };
  });
  changed(store, name, result.hash);
  return result;
}

/** The text a workflow was written as: of its file, its registration, or the built-in. Throws version-not-found. */
export async function workflowSource(store: Store, shown: ShownWorkflow): Promise<string> {
  if (shown.path !== null) return (await readDefinitionFile(shown.path, null)).source;
  if (shown.source !== null && store.nodes.has(shown.source))
    return store.nodes.readText(shown.source);
  const builtin = shown.origin === 'builtin' ? builtinDefinition(shown.name) : null;
  if (builtin !== null) return builtin.source;
  throw new Problem(
    'version-not-found',
    `The store has no source text of "${shown.name}" ${shown.hash}. Without --source its definition is shown.`,
  );
}

/** Hashes that the registry needs: versions with history, and their source texts. They are roots of the store. */
export async function registryRoots(root: string): Promise<Set<Hash>> {
  const roots = new Set<Hash>();
  for (const entry of (await readRegistry(root)).entries.values()) {
    for (const version of [entry, ...entry.history]) {
      roots.add(version.hash);
      if (version.source !== null) roots.add(version.source);
    }
  }
  return roots;
}

function chosenVersion(
  name: string,
  entry: RegistryEntry,
  hash: Hash | undefined,
): RegistryVersion {
  const chosen =
    hash === undefined ? entry.history[0] : entry.history.find((version) => version.hash === hash);
  if (chosen !== undefined) return chosen;
  if (hash === undefined) {
    throw new Problem('version-not-found', `"${name}" has no earlier version to go back to.`);
  }
  const what = entry.hash === hash ? 'already the current version' : 'not in the history';
  throw new Problem(
    'version-not-found',
    `${hash} is ${what} of "${name}". \`uwf workflow history ${name}\` shows the versions.`,
  );
}

async function requireStored(store: Store, name: string, version: RegistryVersion): Promise<void> {
  const missing = new Problem(
    'version-not-found',
    `Version ${version.hash} of "${name}" is in the history but no longer in the store. Add its file again.`,
  );
  if (version.kind === 'definition') {
    if (!store.nodes.has(version.hash)) throw missing;
    return;
  }
  try {
    await access(join(store.root, 'bundles', `${version.hash}.esm.js`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw missing;
  }
}

async function requireEntry(store: Store, name: string, verb: string): Promise<RegistryEntry> {
  const registry = await readRegistry(store.root);
  const entry = registry.entries.get(name);
  if (entry !== undefined) return entry;
  if (builtinNames().includes(name)) {
    throw new Problem(
      'builtin-workflow',
      `"${name}" is built in and cannot be ${verb}. Register your own under the same name to run that instead.`,
    );
  }
  throw await workflowNotFound(registry, name, null);
}

function versionOf({ hash, kind, timestamp, source }: RegistryEntry): RegistryVersion {
  return { hash, kind, timestamp, source };
}

/** Whoever shows workflows reads the file again. */
function changed(store: Store, name: string, hash: Hash | null): void {
  store.write('normal', () =>
    store.events.append({ thread: null, type: 'workflow.changed', data: { name, hash } }),
  );
}
