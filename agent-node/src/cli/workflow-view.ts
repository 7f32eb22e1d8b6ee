import type { Definition } from '@uncaged/protocol/workflow';
import type { ShownWorkflow } from '../registry/index.js';
import { formatTime } from './output/index.js';

const LINE_COLUMNS = 100;

export type Edge = { from: string; to: string; condition: string | null; prompt: string | null };

/** Edges of a graph or of rules; `condition` is the status, or the rule's expression. */
export function edgesOf(definition: Definition): Edge[] {
  if (definition.moderator !== null) {
    return definition.moderator.map(({ from, to, when, prompt }) => ({
      from,
      to,
      condition: when,
      prompt,
    }));
  }
  return Object.entries(definition.graph ?? {}).flatMap(([from, edges]) =>
    Object.entries(edges).map(([status, { role, prompt }]) => ({
      from,
      to: role,
      condition: status === '_' ? null : status,
      prompt,
    })),
  );
}

/** For people: what it is, its roles with what they do, how control passes, which versions there are. */
export async function workflowYaml(shown: ShownWorkflow): Promise<string> {
  const { yamlWithLists } = await import('./output/yaml.js');
  const { definition } = shown;
  const view = {
    name: shown.name,
    ...given({ description: definition?.description }),
    version: shown.hash,
    kind: shown.kind,
    from: shown.origin,
    ...given({
      file: shown.path,
      registered: shown.timestamp === null ? null : formatTime(shown.timestamp),
    }),
    ...given({
      inputs: definition?.inputs,
      maxSteps: definition?.maxSteps,
      budget: definition?.budget,
    }),
    roles: Object.fromEntries(
      Object.entries(definition?.roles ?? {}).map(([name, role]) => [name, given(role)]),
    ),
    edges: definition === null ? [] : edgesOf(definition).map((edge) => given(edge)),
    ...(shown.history.length === 0
      ? {}
      : {
          history: shown.history.map(({ hash, timestamp }) => ({
            hash,
            registered: formatTime(timestamp),
          })),
        }),
  };
  return yamlWithLists(view, ['edges', 'history'], ['prompt'], LINE_COLUMNS);
}

/** Without what was not given. */
function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
