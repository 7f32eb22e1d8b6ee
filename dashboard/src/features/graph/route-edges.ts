import { type Band, trackKey } from './bands.js';
import { type Box, bottom, centreX, centreY, type Point, right, simplify } from './geometry.js';
import type { ModelEdge } from './graph-model.js';
import { LABEL_LINE, LANE_ASIDE, LOOP_OUT, PORT_ASIDE, PORT_PITCH, STUB } from './graph-sizes.js';
import { assignLanes, type LaneWish } from './lanes.js';
import type { Port, Ports, Side, SidePlan } from './plan-sides.js';

export type Route = { points: Point[]; label: Box | null };
type Size = { width: number; height: number };

/** What routes are found in: where nodes and bands are. */
export type Field = {
  boxOf: (node: string) => Box;
  rankOf: (node: string) => number;
  layers: readonly (readonly string[])[];
  /** Band and its top; `bands[rank]` is above layer `rank`, and one more is below the last. */
  bands: readonly { top: number; band: Band }[];
  labelOf: (edge: ModelEdge) => Size | null;
  /** Centre of the label of an edge to the next layer. */
  labelX: (edge: ModelEdge) => number;
  ports: ReadonlyMap<string, Ports>;
  /** Edges to the next layer. */
  normal: readonly ModelEdge[];
};

/** Down to the next layer, through its label. It stands in the room between the layers from end to end. */
export function routeDown(edge: ModelEdge, field: Field): Route {
  const from = field.boxOf(edge.from);
  const to = field.boxOf(edge.to);
  const { top, band } = field.bands[field.rankOf(edge.to)]!;
  const x = field.labelX(edge);
  const label = field.labelOf(edge);
  const points = simplify([
    { x: centreX(from), y: bottom(from) },
    { x: centreX(from), y: top + band.bendFrom },
    { x, y: top + band.labelTop },
    { x, y: top + band.labelBottom },
    { x: centreX(to), y: top + band.bendTo },
    { x: centreX(to), y: to.y },
  ]);
  const middle = top + (band.labelTop + band.labelBottom) / 2;
  return {
    points,
    label: label && { ...label, x: x - label.width / 2, y: middle - label.height / 2 },
  };
}

/** Beside the column: from each source outwards, along a line that all to one target share, and inwards again. */
export function routeAside(plans: readonly SidePlan[], field: Field): Map<ModelEdge, Route> {
  const routes = new Map<ModelEdge, Route>();
  for (const side of ['left', 'right'] as const) {
    const sign = side === 'right' ? 1 : -1;
    const edges = layerEdges(side, field, plans);
    const reaches = bandReaches(side, field);
    const groups = new Map<string, SidePlan[]>();
    for (const plan of plans)
      if (plan.kind === 'self' && plan.side === side) routes.set(plan.edge, loop(plan.edge, field));
      else if (plan.side === side)
        groups.set(trackKey(plan), [...(groups.get(trackKey(plan)) ?? []), plan]);
    const wishes = [...groups].map(([key, group]) => wishOf(key, group, edges, reaches, field));
    const lanes = assignLanes(wishes);
    const rows = new Map<string, number>();
    for (const [key, group] of groups)
      for (const plan of group) {
        const row = rows.get(plan.edge.from) ?? 0;
        if (plan.exit === 'under') rows.set(plan.edge.from, row + 1);
        routes.set(plan.edge, aside(plan, lanes.get(key)! * sign, row, field));
      }
  }
  return routes;
}

/** How far out each layer reaches on a side with the labels there, px outwards. */
function layerEdges(side: Side, field: Field, plans: readonly SidePlan[]): number[] {
  const out = (box: Box) => (side === 'right' ? right(box) : -box.x);
  return field.layers.map((layer, rank) => {
    const outermost = side === 'right' ? layer.at(-1)! : layer[0]!;
    let edge = out(field.boxOf(outermost)) + LANE_ASIDE;
    for (const port of field.ports.get(outermost)?.[side] ?? [])
      if (port.type !== 'in' && port.type !== 'loop-in') {
        const width = field.labelOf(port.edge)?.width ?? 0;
        const stub = port.type === 'loop-out' ? LOOP_OUT : 0;
        edge = Math.max(edge, out(field.boxOf(outermost)) + stub + STUB + width + STUB);
      }
    for (const plan of plans)
      if (plan.exit === 'under' && plan.side === side && field.rankOf(plan.edge.from) === rank) {
        const width = field.labelOf(plan.edge)?.width ?? 0;
        const box = field.boxOf(plan.edge.from);
        const port = side === 'right' ? centreX(box) : -centreX(box);
        edge = Math.max(edge, port + PORT_ASIDE + STUB + width + STUB);
      }
    return edge;
  });
}

/** How far out labels in the band above each layer reach on a side, px outwards. */
function bandReaches(side: Side, { layers, normal, labelOf, labelX, rankOf }: Field): number[] {
  const reaches = layers.map(() => -Infinity);
  for (const edge of normal) {
    const half = (labelOf(edge)?.width ?? 0) / 2 + STUB;
    const reach = (side === 'right' ? labelX(edge) : -labelX(edge)) + half;
    reaches[rankOf(edge.to)] = Math.max(reaches[rankOf(edge.to)]!, reach);
  }
  return reaches;
}

function wishOf(
  key: string,
  group: readonly SidePlan[],
  edges: readonly number[],
  reaches: readonly number[],
  field: Field,
): LaneWish {
  const ranks = group.flatMap(({ edge }) => [field.rankOf(edge.from), field.rankOf(edge.to)]);
  const first = Math.min(...ranks);
  const last = Math.max(...ranks);
  const ends = group.flatMap((plan) => [exitY(plan, field), entryY(plan, field)]);
  return {
    key,
    least: Math.max(...edges.slice(first, last + 1), ...reaches.slice(first + 1, last + 1)),
    top: Math.min(...ends),
    bottom: Math.max(...ends),
  };
}

/** `row`: which of the labels under its node the edge's is, from 0. */
function aside(plan: SidePlan, x: number, row: number, field: Field): Route {
  const { edge, side } = plan;
  const sign = side === 'right' ? 1 : -1;
  const from = field.boxOf(edge.from);
  const to = field.boxOf(edge.to);
  const exit = exitY(plan, field);
  const entry = entryY(plan, field);
  const sideX = (box: Box) => (side === 'right' ? right(box) : box.x);
  const portX = (box: Box) => centreX(box) + sign * PORT_ASIDE;
  const begin =
    plan.exit === 'side'
      ? [{ x: sideX(from), y: exit }]
      : [
          { x: portX(from), y: bottom(from) },
          { x: portX(from), y: exit },
        ];
  const end =
    plan.entry === 'side'
      ? [{ x: sideX(to), y: entry }]
      : [
          { x: portX(to), y: entry },
          { x: portX(to), y: to.y },
        ];
  const points = simplify([...begin, { x, y: exit }, { x, y: entry }, ...end]);
  const size = field.labelOf(edge);
  if (size === null) return { points, label: null };
  const at =
    plan.exit === 'side'
      ? { x: sideX(from) + sign * STUB, y: exit - size.height / 2 }
      : { x: portX(from) + sign * STUB, y: underTop(plan, field) + row * LABEL_LINE };
  return { points, label: { ...size, ...at, x: side === 'right' ? at.x : at.x - size.width } };
}

function loop(edge: ModelEdge, field: Field): Route {
  const box = field.boxOf(edge.from);
  const is = (type: Port['type']) => (port: Port) => port.type === type;
  const out = portY(edge.from, 'right', is('loop-out'), field);
  const back = portY(edge.from, 'right', is('loop-in'), field);
  const x = right(box);
  const size = field.labelOf(edge);
  return {
    points: [
      { x, y: out },
      { x: x + LOOP_OUT, y: out },
      { x: x + LOOP_OUT, y: back },
      { x, y: back },
    ],
    label: size && { ...size, x: x + LOOP_OUT + STUB / 2, y: (out + back - size.height) / 2 },
  };
}

function exitY(plan: SidePlan, field: Field): number {
  const { edge, side, exit } = plan;
  if (exit === 'side')
    return portY(edge.from, side, (port) => port.type === 'out' && port.edge === edge, field);
  const { top, band } = field.bands[field.rankOf(edge.from) + 1]!;
  return top + band.out.get(trackKey(plan))!;
}

function entryY(plan: SidePlan, field: Field): number {
  const { edge, side, entry } = plan;
  if (entry === 'side') return portY(edge.to, side, ({ type }) => type === 'in', field);
  const { top, band } = field.bands[field.rankOf(edge.to)]!;
  return top + band.in.get(trackKey(plan))!;
}

function portY(node: string, side: Side, is: (port: Port) => boolean, field: Field): number {
  const list = field.ports.get(node)![side];
  const middle = (list.length - 1) / 2;
  return centreY(field.boxOf(node)) + (list.findIndex(is) - middle) * PORT_PITCH;
}

function underTop({ edge }: SidePlan, { bands, rankOf }: Field): number {
  return bands[rankOf(edge.from) + 1]!.top;
}
