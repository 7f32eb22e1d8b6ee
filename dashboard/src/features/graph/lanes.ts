import { LANE_GAP } from './graph-sizes.js';

/** A vertical line beside the column: where it is at least (px outwards), and from where to where it goes. */
export type LaneWish = { key: string; least: number; top: number; bottom: number };

/** How far out each lane is: as near as it may, short ones inside, none on another. */
export function assignLanes(wishes: readonly LaneWish[]): Map<string, number> {
  const placed: { at: number; top: number; bottom: number }[] = [];
  const lanes = new Map<string, number>();
  const inOrder = [...wishes].sort(
    (a, b) => a.bottom - a.top - (b.bottom - b.top) || a.top - b.top,
  );
  for (const { key, least, top, bottom } of inOrder) {
    let at = least;
    const beside = placed
      .filter((lane) => lane.top <= bottom + LANE_GAP && lane.bottom >= top - LANE_GAP)
      .sort((a, b) => a.at - b.at);
    for (const lane of beside) if (Math.abs(lane.at - at) < LANE_GAP) at = lane.at + LANE_GAP;
    placed.push({ at, top, bottom });
    lanes.set(key, at);
  }
  return lanes;
}
