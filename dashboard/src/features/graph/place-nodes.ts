import { Graph, layout } from '@dagrejs/dagre';
import type { GraphModel, ModelEdge } from './graph-model.js';
import { EDGE_GAP, NODE_GAP } from './graph-sizes.js';
import type { Ranking } from './ranks.js';

type Size = { width: number; height: number };

/** Centres, px from the left of something: only differences mean anything. */
export type Columns = {
  nodes: ReadonlyMap<string, number>;
  /** Of the labels of edges to the next layer. */
  labels: ReadonlyMap<ModelEdge, number>;
};

/**
 * Who stands beside whom in a layer, with few crossings and straight chains: dagre's work. It gets only edges from one layer to
 * the next, turned around: its longest-path ranker counts from sinks, the layers here from the start, and both are the same
 * then. What runs beside the column is not its business and takes no room inside.
 */
export function placeNodes(
  { nodes, edges }: GraphModel,
  { ranks, kinds, held }: Ranking,
  sizeOf: (node: string) => Size,
  labelOf: (edge: ModelEdge) => Size | null,
): Columns {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ ranker: 'longest-path', nodesep: NODE_GAP, edgesep: EDGE_GAP });
  // Names are anybody's text; dagre joins names of its own out of them.
  const ids = new Map(nodes.map((node, index) => [node, `n${index}`]));
  for (const node of nodes) graph.setNode(ids.get(node)!, { ...sizeOf(node) });
  const drawn = edges.filter((edge) => kinds.get(edge) === 'normal');
  drawn.forEach((edge, index) => {
    const size = labelOf(edge) ?? { width: 0, height: 0 };
    const label = { ...size, labelpos: 'c' as const, weight: 1 };
    graph.setEdge(ids.get(edge.to)!, ids.get(edge.from)!, label, `e${index}`);
  });
  held
    .filter(({ from, to }) => ranks.get(to)! - ranks.get(from)! === 1)
    .forEach(({ from, to }, index) => {
      const label = { width: 0, height: 0, weight: 0 };
      graph.setEdge(ids.get(to)!, ids.get(from)!, label, `h${index}`);
    });
  layout(graph);
  return {
    nodes: new Map(nodes.map((node) => [node, graph.node(ids.get(node)!).x as number])),
    labels: new Map(
      drawn.map((edge, index) => {
        const { x } = graph.edge(ids.get(edge.to)!, ids.get(edge.from)!, `e${index}`);
        return [edge, x ?? graph.node(ids.get(edge.to)!).x];
      }),
    ),
  };
}
