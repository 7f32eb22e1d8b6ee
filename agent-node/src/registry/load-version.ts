import type { Hash } from '@uncaged/protocol/ids';
import type { LoadedWorkflow } from '../engine/index.js';
import { createRegexEngine } from '../regex/index.js';
import type { Store, WorkflowKind } from '../store/index.js';
import { bundleUnsupported, storedDefinition } from './resolve-workflow.js';

/** The version a thread is pinned to, ready to run. Throws version-not-found, unsupported-kind. */
export async function loadVersion(
  store: Store,
  wanted: { kind: WorkflowKind; version: Hash; name: string },
): Promise<LoadedWorkflow> {
  const { kind, version, name } = wanted;
  if (kind === 'bundle') throw bundleUnsupported(`Version ${version} of "${name}"`);
  const definition = storedDefinition(store, version, `"${name}"`);
  const { definitionWorkflow } = await import('@uncaged/protocol/moderator');
  const RegexEngine = createRegexEngine('rule-limit', 'a rule');
  const run = definitionWorkflow(definition, { RegexEngine });
  return { name, kind, version, definition, run };
}
