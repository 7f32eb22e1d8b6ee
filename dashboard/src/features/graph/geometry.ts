/** px of the drawing; y downwards. */
export type Point = { x: number; y: number };
/** `x`, `y`: the left top corner. */
export type Box = Point & { width: number; height: number };

export function right({ x, width }: Box): number {
  return x + width;
}

export function bottom({ y, height }: Box): number {
  return y + height;
}

export function centreX({ x, width }: Box): number {
  return x + width / 2;
}

export function centreY({ y, height }: Box): number {
  return y + height / 2;
}

/** The same line with no point twice and none in the middle of a straight piece. */
export function simplify(points: readonly Point[]): Point[] {
  const line: Point[] = [];
  for (const point of points) {
    const last = line.at(-1);
    if (last !== undefined && last.x === point.x && last.y === point.y) continue;
    const before = line.at(-2);
    if (before !== undefined && last !== undefined && isBetween(before, last, point)) line.pop();
    line.push(point);
  }
  return line;
}

function isBetween(a: Point, b: Point, c: Point): boolean {
  const cross = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  const along = (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y);
  return cross === 0 && along >= 0;
}
