import { Problem } from '@uncaged/protocol/problem';
import type { Meta } from '@uncaged/protocol/workflow';
import type { Validator } from '../extract/index.js';
import type { ThreadRow } from '../store/index.js';
import type { LoadedWorkflow } from './types.js';

/** Status of a step whose nested thread says none that the role knows. */
const OK = 'ok';

type Input = {
  workflow: Pick<LoadedWorkflow, 'definition'>;
  role: string;
  schema: Record<string, unknown> | null;
  validator: Validator;
  /** Completed. */
  child: Pick<ThreadRow, 'id' | 'workflow' | 'parent'>;
};

/**
 * The first that the role's schema takes: the meta with its own status, where that leads somewhere; with `ok`; with the one
 * status that leads anywhere at all; then the same without the rest of the meta.
 */
export function nestedMeta({ workflow, role, schema, validator, child }: Input, last: Meta): Meta {
  const edges = edgesOf(workflow, role);
  const own = typeof last.$status === 'string' ? last.$status : null;
  const leads = (status: string) => edges === null || edges.includes(status) || edges.includes('_');
  const only = edges?.length === 1 && edges[0] !== '_' ? edges[0]! : null;
  const statuses = [own, OK, only].filter((status) => status !== null);
  const routed = statuses.filter(leads);
  const tried = routed.length > 0 ? routed : statuses;
  const metas: Meta[] = [
    ...tried.map(($status) => ({ ...last, $status })),
    ...tried.map(($status) => ({ $status })),
  ];
  if (schema === null) return metas[0]!;
  const found = metas.find((meta) => validator.errors(schema, meta).length === 0);
  if (found !== undefined) return found;
  throw new Problem(
    'answer-invalid',
    `role ${role}: nested thread ${child.id} of workflow ${child.workflow} completed, but neither the meta of its last step nor {$status: ${tried.join(' | ')}} matches the role's frontmatter: ${validator.errors(schema, metas[0]!).join('; ')}. Correct one of the two workflows, then: uwf thread fork ${child.parent}`,
    { retryable: false },
  );
}

/** Statuses that lead somewhere; null where rules decide. */
function edgesOf({ definition }: Input['workflow'], role: string): string[] | null {
  const graph = definition?.graph ?? null;
  if (graph === null || !Object.hasOwn(graph, role)) return null;
  return Object.keys(graph[role]!);
}
