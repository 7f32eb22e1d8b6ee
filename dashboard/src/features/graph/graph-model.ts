import type { GraphProps } from './graph-props.js';
import { END, START } from './sentinels.js';

/** An edge as it is drawn: all conditions under which control goes from one node to another are one line. */
export type ModelEdge = {
  from: string;
  to: string;
  conditions: { condition: string; description: string | null }[];
};

/** Nodes by name, start first and end last; no edge and no condition of an edge twice. */
export type GraphModel = { nodes: string[]; edges: ModelEdge[] };

/** What is drawn of a workflow. A node that only an edge names is drawn too. */
export function toModel(roles: readonly string[], edges: GraphProps['edges']): GraphModel {
  const names = new Set(roles);
  const bySource = new Map<string, Map<string, ModelEdge>>();
  const drawn: ModelEdge[] = [];
  for (const { from, to, condition, conditionDescription } of edges) {
    names.add(from).add(to);
    const targets = bySource.get(from) ?? new Map<string, ModelEdge>();
    bySource.set(from, targets);
    const edge = targets.get(to) ?? { from, to, conditions: [] };
    if (!targets.has(to)) drawn.push(edge);
    targets.set(to, edge);
    if (!edge.conditions.some((one) => one.condition === condition))
      edge.conditions.push({ condition, description: conditionDescription });
  }
  names.delete(START);
  names.delete(END);
  return { nodes: [START, ...names, END], edges: drawn };
}
