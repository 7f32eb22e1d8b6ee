import type { Box, Point } from './geometry.js';
import { ARROW_LENGTH, ARROW_WIDTH, CORNER_RADIUS } from './graph-sizes.js';

/** A line with round corners as the `d` of an SVG path; its end is left to the arrow. */
export function edgePath(points: readonly Point[]): string {
  const line = [...points];
  line.push(towards(line.pop()!, line.at(-1)!, ARROW_LENGTH));
  const parts = [`M${text(line[0]!)}`];
  for (let at = 1; at < line.length - 1; at += 1) {
    const [before, corner, after] = [line[at - 1]!, line[at]!, line[at + 1]!];
    const radius = Math.min(
      CORNER_RADIUS,
      distance(before, corner) / 2,
      distance(corner, after) / 2,
    );
    const [begin, end] = [towards(corner, before, radius), towards(corner, after, radius)];
    parts.push(`L${text(begin)}Q${text(corner)} ${text(end)}`);
  }
  parts.push(`L${text(line.at(-1)!)}`);
  return parts.join('');
}

/** The arrow at the end of a line. */
export function arrowPath(points: readonly Point[]): string {
  const tip = points.at(-1)!;
  const base = towards(tip, points.at(-2)!, ARROW_LENGTH);
  const [x, y] = [
    ((tip.y - base.y) / ARROW_LENGTH) * (ARROW_WIDTH / 2),
    ((base.x - tip.x) / ARROW_LENGTH) * (ARROW_WIDTH / 2),
  ];
  const left = { x: base.x + x, y: base.y + y };
  const right = { x: base.x - x, y: base.y - y };
  return `M${text(tip)}L${text(left)}L${text(right)}Z`;
}

/** The box around a line and its label. */
export function boundsOf(points: readonly Point[], label: Box | null): Box {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  if (label !== null) {
    xs.push(label.x, label.x + label.width);
    ys.push(label.y, label.y + label.height);
  }
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

function towards(from: Point, to: Point, by: number): Point {
  const share = by / (distance(from, to) || 1);
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

function distance(a: Point, b: Point): number {
  return Math.hypot(b.x - a.x, b.y - a.y);
}

function text({ x, y }: Point): string {
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
}
