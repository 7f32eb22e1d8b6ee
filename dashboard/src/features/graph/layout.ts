import { type Box, bottom, type Point, right } from './geometry.js';
import { type GraphModel, type ModelEdge, toModel } from './graph-model.js';
import type { GraphProps } from './graph-props.js';
import {
  LOOP_OUT,
  MARGIN,
  NAME_CHARACTER,
  PORT_PITCH,
  ROLE_HEIGHT,
  ROLE_WIDTH_AROUND,
  ROLE_WIDTH_MAX,
  ROLE_WIDTH_MIN,
  SENTINEL_HEIGHT,
  SENTINEL_WIDTH,
  STUB,
} from './graph-sizes.js';
import { type LabelLine, labelLines, labelSize } from './label-lines.js';
import { placeNodes } from './place-nodes.js';
import { type Ports, planSides, portsOf } from './plan-sides.js';
import { type EdgeKind, rankNodes } from './ranks.js';
import { routeAside, routeDown } from './route-edges.js';
import { END, START } from './sentinels.js';
import { stackLayers } from './stack-layers.js';

export type PlacedNode = { role: string; rank: number; box: Box };

export type PlacedEdge = ModelEdge & {
  kind: EdgeKind;
  /** From the source's box to the target's; it crosses no other node's. */
  points: Point[];
  label: Box | null;
  lines: LabelLine[];
};

/** A drawing from (0, 0) to (width, height), px. Nodes from top to bottom, in a layer from left to right. */
export type GraphLayout = {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  width: number;
  height: number;
};

/** Where everything of a workflow is drawn. The same input gives the same drawing. */
export function layoutGraph(roles: readonly string[], edges: GraphProps['edges']): GraphLayout {
  const model = toModel(roles, edges);
  const ranking = rankNodes(model);
  const kindOf = (edge: ModelEdge) => ranking.kinds.get(edge)!;
  const rankOf = (node: string) => ranking.ranks.get(node)!;
  const normal = model.edges.filter((edge) => kindOf(edge) === 'normal');

  const lines = linesOf(model, kindOf);
  const labels = new Map(model.edges.map((edge) => [edge, labelSize(lines.get(edge)!)]));
  const labelOf = (edge: ModelEdge) => labels.get(edge) ?? null;
  const roleWidth = widthOfRoles(model.nodes);
  const widthOf = (node: string) => (isRole(node) ? roleWidth : SENTINEL_WIDTH);

  const loops = roomOfLoops(model, labelOf);
  const columns = placeNodes(
    model,
    ranking,
    (node) => ({ width: widthOf(node) + 2 * (loops.get(node) ?? 0), height: ROLE_HEIGHT }),
    labelOf,
  );
  const xOf = (node: string) => columns.nodes.get(node)!;
  const labelX = (edge: ModelEdge) => columns.labels.get(edge)!;
  const layers = layersOf(model.nodes, rankOf, xOf);

  const plans = planSides(model.edges, ranking.kinds, layers, xOf);
  const ports = portsOf(plans);
  const sizeOf = (node: string) => ({ width: widthOf(node), height: heightOf(node, ports) });
  const { boxes, bands } = stackLayers({
    ...{ layers, rankOf, xOf, sizeOf, plans, normal, labelX, labelOf },
  });
  const boxOf = (node: string) => boxes.get(node)!;
  const field = { boxOf, rankOf, layers, bands, labelOf, labelX, ports, normal };
  const routes = routeAside(plans, field);
  for (const edge of normal) routes.set(edge, routeDown(edge, field));

  return fromOrigin(
    layers.flatMap((layer, rank) => layer.map((role) => ({ role, rank, box: boxOf(role) }))),
    model.edges.map((edge) => ({
      ...edge,
      ...routes.get(edge)!,
      kind: kindOf(edge),
      lines: lines.get(edge)!,
    })),
  );
}

function isRole(node: string): boolean {
  return node !== START && node !== END;
}

function linesOf(
  { edges }: GraphModel,
  kindOf: (edge: ModelEdge) => EdgeKind,
): Map<ModelEdge, LabelLine[]> {
  const ways = new Map<string, number>();
  for (const { from } of edges) ways.set(from, (ways.get(from) ?? 0) + 1);
  return new Map(
    edges.map((edge) => [
      edge,
      labelLines(edge, ways.get(edge.from) === 1, kindOf(edge) !== 'normal'),
    ]),
  );
}

function widthOfRoles(nodes: readonly string[]): number {
  const longest = nodes.filter(isRole).reduce((most, { length }) => Math.max(most, length), 0);
  const width = longest * NAME_CHARACTER + ROLE_WIDTH_AROUND;
  return Math.round(Math.min(ROLE_WIDTH_MAX, Math.max(ROLE_WIDTH_MIN, width)));
}

/** A node is as high as the edges at its sides need. */
function heightOf(node: string, ports: ReadonlyMap<string, Ports>): number {
  const { left = [], right: rightPorts = [] } = ports.get(node) ?? {};
  const most = Math.max(left.length, rightPorts.length);
  return Math.max(isRole(node) ? ROLE_HEIGHT : SENTINEL_HEIGHT, most * PORT_PITCH);
}

/** What a node needs beside it for its loop, px. */
function roomOfLoops(
  { edges }: GraphModel,
  labelOf: (edge: ModelEdge) => { width: number } | null,
): Map<string, number> {
  return new Map(
    edges
      .filter(({ from, to }) => from === to)
      .map((edge) => [edge.from, LOOP_OUT + STUB + (labelOf(edge)?.width ?? 0)]),
  );
}

function layersOf(
  nodes: readonly string[],
  rankOf: (node: string) => number,
  xOf: (node: string) => number,
): string[][] {
  const layers: string[][] = [];
  for (const node of nodes) {
    const layer = layers[rankOf(node)] ?? [];
    layers[rankOf(node)] = layer;
    layer.push(node);
  }
  for (const layer of layers) layer.sort((a, b) => xOf(a) - xOf(b));
  return layers;
}

/** Moves everything so that the drawing begins at (0, 0), with a margin. */
function fromOrigin(nodes: readonly PlacedNode[], edges: readonly PlacedEdge[]): GraphLayout {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  const take = ({ x, y }: Point) => {
    minX = Math.min(minX, x);
    minY = Math.min(minY, y);
    maxX = Math.max(maxX, x);
    maxY = Math.max(maxY, y);
  };
  const takeBox = (box: Box) => {
    take(box);
    take({ x: right(box), y: bottom(box) });
  };
  for (const { box } of nodes) takeBox(box);
  for (const { points, label } of edges) {
    points.forEach(take);
    if (label !== null) takeBox(label);
  }
  const move = <P extends Point>(point: P): P => ({
    ...point,
    x: point.x - minX + MARGIN,
    y: point.y - minY + MARGIN,
  });
  return {
    nodes: nodes.map((node) => ({ ...node, box: move(node.box) })),
    edges: edges.map((edge) => ({
      ...edge,
      points: edge.points.map(move),
      label: edge.label && move(edge.label),
    })),
    width: maxX - minX + 2 * MARGIN,
    height: maxY - minY + 2 * MARGIN,
  };
}
