import { type Band, measureBand } from './bands.js';
import type { Box } from './geometry.js';
import type { ModelEdge } from './graph-model.js';
import type { SidePlan } from './plan-sides.js';

type Size = { width: number; height: number };

/** What layers are stacked from. */
export type Stackable = {
  layers: readonly (readonly string[])[];
  rankOf: (node: string) => number;
  xOf: (node: string) => number;
  sizeOf: (node: string) => Size;
  plans: readonly SidePlan[];
  normal: readonly ModelEdge[];
  labelX: (edge: ModelEdge) => number;
  labelOf: (edge: ModelEdge) => Size | null;
};

export type Stack = {
  boxes: ReadonlyMap<string, Box>;
  /** `bands[rank]` is above layer `rank`, and one more is below the last. */
  bands: { top: number; band: Band }[];
};

/** One layer below the other, with the room between them that their edges take. */
export function stackLayers(input: Stackable): Stack {
  const { layers, rankOf, xOf, sizeOf, plans, normal, labelX, labelOf } = input;
  const leaving = byRank(plans, ({ exit, edge }) => (exit === 'under' ? rankOf(edge.from) : null));
  const coming = byRank(plans, ({ entry, edge }) => (entry === 'over' ? rankOf(edge.to) : null));
  const down = byRank(normal, (edge) => rankOf(edge.to));
  const boxes = new Map<string, Box>();
  const bands: Stack['bands'] = [];
  let y = 0;
  for (let rank = 0; rank <= layers.length; rank += 1) {
    const band = measureBand({
      leaving: leaving.get(rank - 1) ?? [],
      coming: coming.get(rank) ?? [],
      normal: (down.get(rank) ?? []).map((edge) => ({
        reach: Math.max(...[edge.from, edge.to].map((node) => Math.abs(xOf(node) - labelX(edge)))),
        labelHeight: labelOf(edge)?.height ?? 0,
      })),
      isBetween: rank > 0 && rank < layers.length,
      hasLabel: (edge) => labelOf(edge) !== null,
    });
    bands.push({ top: y, band });
    y += band.height;
    const layer = layers[rank] ?? [];
    const height = Math.max(0, ...layer.map((node) => sizeOf(node).height));
    for (const node of layer) {
      const size = sizeOf(node);
      const at = { x: xOf(node) - size.width / 2, y: y + (height - size.height) / 2 };
      boxes.set(node, { ...at, ...size });
    }
    y += height;
  }
  return { boxes, bands };
}

function byRank<T>(items: readonly T[], rankOf: (item: T) => number | null): Map<number, T[]> {
  const ranks = new Map<number, T[]>();
  for (const item of items) {
    const rank = rankOf(item);
    if (rank === null) continue;
    const list = ranks.get(rank) ?? [];
    ranks.set(rank, list);
    list.push(item);
  }
  return ranks;
}
