import type { ThreadFilters } from '../../api/index.js';

/** Filters with another node chosen: the workflow was one of the node before, the rest stays. */
export function chooseNode(filters: ThreadFilters, node: string): ThreadFilters {
  const isLeft = filters.node !== '' && filters.node !== node;
  return { ...filters, node, workflow: isLeft ? '' : filters.workflow };
}
