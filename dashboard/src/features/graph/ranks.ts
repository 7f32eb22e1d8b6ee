import { findBackEdges } from './back-edges.js';
import type { GraphModel, ModelEdge } from './graph-model.js';
import { END, START } from './sentinels.js';

/** normal: to the next layer; skip: further down; feedback: up; self: a loop. */
export type EdgeKind = 'normal' | 'skip' | 'feedback' | 'self';

export type Ranking = {
  /** Layer of a node, from 0. */
  ranks: ReadonlyMap<string, number>;
  kinds: ReadonlyMap<ModelEdge, EdgeKind>;
  /** Not drawn: they hold what nothing leads to below the start, and the end below everything. */
  held: readonly { from: string; to: string }[];
};

/**
 * A node is one layer below the lowest node that leads to it (back edges do not count: turned around they say the same as
 * the way they close). So every node but the first has an edge from the layer right above it, and those edges alone say
 * the same layers again.
 */
export function rankNodes({ nodes, edges }: GraphModel): Ranking {
  const back = findBackEdges(nodes, edges);
  // Whatever a strange graph says, the start is first and the end last.
  const forward = edges.filter((edge) => !back.has(edge) && edge.to !== START && edge.from !== END);
  const reached = new Set(forward.map(({ to }) => to));
  const leading = new Set(forward.map(({ from }) => from));
  const inner = nodes.filter((node) => node !== START && node !== END);
  const held = [
    ...inner.filter((node) => !reached.has(node)).map((to) => ({ from: START, to })),
    ...inner.filter((node) => !leading.has(node)).map((from) => ({ from, to: END })),
  ];
  if (inner.length === 0) held.push({ from: START, to: END });
  const ranks = longestPaths(nodes, [...forward, ...held]);
  const kinds = new Map<ModelEdge, EdgeKind>(
    edges.map((edge) => [edge, kindOf(edge, ranks.get(edge.from)!, ranks.get(edge.to)!)]),
  );
  return { ranks, kinds, held };
}

function kindOf(edge: ModelEdge, from: number, to: number): EdgeKind {
  if (edge.from === edge.to) return 'self';
  if (to <= from) return 'feedback';
  return to - from > 1 ? 'skip' : 'normal';
}

function longestPaths(
  nodes: readonly string[],
  edges: readonly { from: string; to: string }[],
): Map<string, number> {
  const waitsFor = new Map<string, number>(nodes.map((node) => [node, 0]));
  const next = new Map<string, string[]>(nodes.map((node) => [node, []]));
  for (const { from, to } of edges) {
    waitsFor.set(to, waitsFor.get(to)! + 1);
    next.get(from)!.push(to);
  }
  const ranks = new Map<string, number>(nodes.map((node) => [node, 0]));
  const ready = nodes.filter((node) => waitsFor.get(node) === 0);
  for (const node of ready)
    for (const to of next.get(node)!) {
      ranks.set(to, Math.max(ranks.get(to)!, ranks.get(node)! + 1));
      waitsFor.set(to, waitsFor.get(to)! - 1);
      if (waitsFor.get(to) === 0) ready.push(to);
    }
  return ranks;
}
