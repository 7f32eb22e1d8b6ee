import { START } from '../ids/index.js';
import { Problem } from '../problem/index.js';
import {
  ANY_STATUS,
  type Definition,
  type DefinitionEdge,
  type Moderator,
  type Step,
  toFileName,
} from '../workflow/index.js';
import { ownEntry } from './own-entry.js';
import { createPromptRenderer } from './prompt.js';

type Edges = Readonly<Record<string, DefinitionEdge>>;

/**
 * graph[role][status] of the last step; the same work at step 1,000 as at step 10. An only edge `_` stands for
 * whatever status there is, but not for a script that failed: going on as if nothing had happened must be asked for.
 * Throws no-route.
 */
export function graphModerator(definition: Definition): Moderator {
  const graph = definition.graph ?? {};
  const render = createPromptRenderer();
  return (thread) => {
    const last = thread.steps.at(-1) ?? null;
    const from = last?.role ?? START;
    const edges = ownEntry(graph, from) ?? {};
    const status = last === null ? ANY_STATUS : statusOf(last);
    const isScript = ownEntry(definition.roles, from)?.run != null;
    const edge = findEdge(edges, status, isScript);
    if (edge === null) throw noRoute(from, status, edges, last?.meta ?? {});
    const where = `edge graph.${toFileName(from)}.${status ?? ANY_STATUS}`;
    return { role: edge.role, prompt: render(edge.prompt, thread, where) };
  };
}

export const SCRIPT_FAILED = 'failed';

function statusOf(step: Step): string | null {
  const status = ownEntry(step.meta, '$status');
  return typeof status === 'string' ? status : null;
}

function findEdge(edges: Edges, status: string | null, isScript: boolean): DefinitionEdge | null {
  const named = status === null ? undefined : ownEntry(edges, status);
  if (named !== undefined) return named;
  if (isScript && status === SCRIPT_FAILED) return null;
  return Object.keys(edges).length === 1 ? (ownEntry(edges, ANY_STATUS) ?? null) : null;
}

function noRoute(from: string, status: string | null, edges: Edges, meta: Step['meta']): Problem {
  const role = toFileName(from);
  const statuses = Object.keys(edges);
  const there =
    statuses.length === 0 ? 'it has no edges' : `its edges are for ${statuses.join(', ')}`;
  const given = ownEntry(meta, '$status');
  const outcome =
    status !== null
      ? `Role "${role}" ended with $status "${status}"`
      : given === undefined
        ? `Role "${role}" answered without a $status`
        : `Role "${role}" answered with a $status that is not text (${shortJson(given)})`;
  const fix =
    status !== null
      ? `Add an edge graph.${role}.${status}.`
      : given === undefined
        ? `Make $status required in the role's frontmatter.`
        : 'Put it in quotes.';
  return new Problem('no-route', `${outcome}, and ${there}. ${fix}`, {
    details: { role: from, status, statuses },
  });
}

const SHOWN_MAX_CHARACTERS = 40;

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_MAX_CHARACTERS
    ? `${text.slice(0, SHOWN_MAX_CHARACTERS).toWellFormed()}…`
    : text;
}
