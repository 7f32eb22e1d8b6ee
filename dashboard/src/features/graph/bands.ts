import type { ModelEdge } from './graph-model.js';
import {
  ARROW,
  BEND_MAX,
  BEND_MIN,
  BEND_SLOPE,
  LABEL_LINE,
  LAYER_GAP_MIN,
  TRACK_GAP,
} from './graph-sizes.js';
import type { SidePlan } from './plan-sides.js';

/** The room above a layer: what stands in it, from top to bottom, px from its top. */
export type Band = {
  height: number;
  /** y of horizontal parts of edges that leave the layer above, by what `trackKey` says. */
  out: ReadonlyMap<string, number>;
  /** Edges to the layer below turn from here to their label… */
  bendFrom: number;
  labelTop: number;
  labelBottom: number;
  /** …and stand above their target from here. */
  bendTo: number;
  in: ReadonlyMap<string, number>;
};

/** What runs in a band. */
type Content = {
  /** Out of the bottom of the layer above, and into the layer below from above. */
  leaving: readonly SidePlan[];
  coming: readonly SidePlan[];
  /** To the next layer: how far aside, and how high the label is, px. */
  normal: readonly { reach: number; labelHeight: number }[];
  /** False above the first layer and below the last. */
  isBetween: boolean;
  hasLabel: (edge: ModelEdge) => boolean;
};

/** Edges to one target on one side share a horizontal line. */
export function trackKey({ edge, side }: SidePlan): string {
  return `${side} ${edge.to}`;
}

/** Measures of the room between two layers, from what runs in it. */
export function measureBand({ leaving, coming, normal, isBetween, hasLabel }: Content): Band {
  const rows = Math.max(0, ...rowsUnder(leaving, hasLabel).values());
  let y = rows * LABEL_LINE;
  const out = tracks(leaving, y);
  if (out.size > 0) y += (out.size + 1) * TRACK_GAP;
  const bendFrom = y;
  const reach = Math.max(0, ...normal.map((one) => one.reach));
  const bend = isBetween ? Math.min(BEND_MAX, Math.max(BEND_MIN, reach / BEND_SLOPE)) : 0;
  y += bend;
  const labelTop = y;
  y += Math.max(0, ...normal.map((one) => one.labelHeight));
  const labelBottom = y;
  y += bend;
  const bendTo = y;
  const entering = tracks(coming, y);
  if (entering.size > 0) y += (entering.size + 1) * TRACK_GAP;
  if (isBetween || entering.size > 0) y += ARROW;
  const height = isBetween ? Math.max(LAYER_GAP_MIN, y) : y;
  return { height, out, bendFrom, labelTop, labelBottom, bendTo, in: entering };
}

/** How many labels stand below each other under a node's port, by node and side. */
function rowsUnder(
  leaving: readonly SidePlan[],
  hasLabel: (edge: ModelEdge) => boolean,
): Map<string, number> {
  const rows = new Map<string, number>();
  for (const { edge, side } of leaving)
    if (hasLabel(edge)) {
      const key = `${side} ${edge.from}`;
      rows.set(key, (rows.get(key) ?? 0) + 1);
    }
  return rows;
}

function tracks(plans: readonly SidePlan[], top: number): Map<string, number> {
  const keys = [...new Set(plans.map(trackKey))];
  return new Map(keys.map((key, index) => [key, top + (index + 1) * TRACK_GAP]));
}
