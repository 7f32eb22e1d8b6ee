import type { ModelEdge } from './graph-model.js';
import type { EdgeKind } from './ranks.js';

export type Side = 'left' | 'right';

/** How an edge that runs beside the column leaves its source and comes to its target. */
export type SidePlan = {
  edge: ModelEdge;
  kind: Exclude<EdgeKind, 'normal'>;
  side: Side;
  /** Out of the node's side where nothing stands beside it, else below the layer. */
  exit: 'side' | 'under';
  /** Likewise; else from above. */
  entry: 'side' | 'over';
};

/** A place at a node's side where an edge begins, or where all that come to it on that side end. */
export type Port = { type: 'out' | 'loop-out' | 'loop-in'; edge: ModelEdge } | { type: 'in' };

export type Ports = Record<Side, Port[]>;

/** Off the middle by less is in the middle, px. */
const MIDDLE = 1;

/**
 * Edges to one target run on one side: the one the target and its sources stand on, else right and left in turn, the first
 * right.
 */
export function planSides(
  edges: readonly ModelEdge[],
  kinds: ReadonlyMap<ModelEdge, EdgeKind>,
  layers: readonly (readonly string[])[],
  xOf: (node: string) => number,
): SidePlan[] {
  const middle = xOf(layers[0]![0]!);
  const outermost: Record<Side, Set<string>> = {
    left: new Set(layers.map((layer) => layer[0]!)),
    right: new Set(layers.map((layer) => layer.at(-1)!)),
  };
  const byTarget = new Map<string, ModelEdge[]>();
  for (const edge of edges) {
    const kind = kinds.get(edge);
    if (kind !== 'skip' && kind !== 'feedback') continue;
    byTarget.set(edge.to, [...(byTarget.get(edge.to) ?? []), edge]);
  }
  const plans: SidePlan[] = [];
  let turn: Side = 'right';
  for (const [target, coming] of byTarget) {
    const sources = coming.reduce((sum, { from }) => sum + xOf(from), 0) / coming.length;
    const off = (xOf(target) + sources) / 2 - middle;
    const side: Side = Math.abs(off) < MIDDLE ? turn : off > 0 ? 'right' : 'left';
    if (Math.abs(off) < MIDDLE) turn = turn === 'right' ? 'left' : 'right';
    for (const edge of coming)
      plans.push({
        edge,
        kind: kinds.get(edge) as 'skip' | 'feedback',
        side,
        exit: outermost[side].has(edge.from) ? 'side' : 'under',
        entry: outermost[side].has(target) ? 'side' : 'over',
      });
  }
  for (const edge of edges)
    if (kinds.get(edge) === 'self')
      plans.push({ edge, kind: 'self', side: 'right', exit: 'side', entry: 'side' });
  return plans;
}

/** Ports of each node from top to bottom: what goes up, what comes, the loop, what goes down. */
export function portsOf(plans: readonly SidePlan[]): Map<string, Ports> {
  const ports = new Map<string, Ports>();
  const at = (node: string, side: Side): Port[] => {
    const found = ports.get(node) ?? { left: [], right: [] };
    ports.set(node, found);
    return found[side];
  };
  const leave = (kind: EdgeKind) => {
    for (const { edge, side, exit } of plans.filter((plan) => plan.kind === kind))
      if (exit === 'side') at(edge.from, side).push({ type: 'out', edge });
  };
  leave('feedback');
  for (const { edge, kind, side, entry } of plans) {
    if (kind === 'self' || entry !== 'side') continue;
    const list = at(edge.to, side);
    if (!list.some(({ type }) => type === 'in')) list.push({ type: 'in' });
  }
  for (const { edge, kind, side } of plans)
    if (kind === 'self')
      at(edge.from, side).push({ type: 'loop-out', edge }, { type: 'loop-in', edge });
  leave('skip');
  return ports;
}
