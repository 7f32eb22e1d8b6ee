import { describe, expect, it } from 'vitest';
import { arrowPath, boundsOf, edgePath } from './edge-path.js';

describe('edgePath', () => {
  it('is a line that ends where the arrow begins', () => {
    const points = [
      { x: 10, y: 0 },
      { x: 10, y: 100 },
    ];
    expect(edgePath(points)).toBe('M10 0L10 92');
    expect(arrowPath(points)).toBe('M10 100L14 92L6 92Z');
  });

  it('has round corners, smaller where the pieces are short', () => {
    const path = edgePath([
      { x: 0, y: 0 },
      { x: 100, y: 0 },
      { x: 100, y: 12 },
      { x: 0, y: 12 },
    ]);
    expect(path).toBe('M0 0L94 0Q100 0 100 6L100 6Q100 12 94 12L8 12');
  });
});

describe('boundsOf', () => {
  it('holds the line and its label', () => {
    const label = { x: 90, y: -8, width: 40, height: 16 };
    expect(
      boundsOf(
        [
          { x: 0, y: 0 },
          { x: 100, y: 50 },
        ],
        label,
      ),
    ).toEqual({
      ...{ x: 0, y: -8, width: 130, height: 58 },
    });
  });
});
