import { describe, expect, it } from 'vitest';
import { ZOOM_READABLE } from './graph-sizes.js';
import { around, homeView, isInView, wholeView } from './home-view.js';

const frame = { width: 400, height: 600 };
const box = (x: number, y: number) => ({ x, y, width: 100, height: 50 });

describe('homeView', () => {
  it('shows a small drawing whole, in the middle and no larger than it is', () => {
    expect(homeView({ width: 200, height: 300 }, frame, box(0, 0))).toEqual({
      ...{ x: 100, y: 150, zoom: 1 },
    });
  });

  it('begins a long one at its top, with its width in the frame', () => {
    const view = homeView({ width: 400, height: 5_000 }, frame, box(150, 0));
    expect(view).toEqual({ x: 0, y: 0, zoom: 1 });
  });

  it('has what runs in view and readable, however large the drawing is', () => {
    const drawing = { width: 9_000, height: 50_000 };
    for (const at of [box(0, 0), box(4_000, 30_000), box(8_900, 49_950)]) {
      const view = homeView(drawing, frame, at);
      expect(view.zoom).toBe(ZOOM_READABLE);
      expect(isInView(at, view, frame)).toBe(true);
    }
  });
});

describe('wholeView', () => {
  it('has both ends in view', () => {
    const drawing = { width: 9_000, height: 50_000 };
    const view = wholeView(drawing, frame);
    expect(isInView({ x: 0, y: 0, ...drawing }, view, { width: 400, height: 600.01 })).toBe(true);
  });
});

describe('around', () => {
  it('keeps the zoom and shows nothing beyond the ends', () => {
    expect(around({ width: 400, height: 5_000 }, frame, box(150, 4_950), 1)).toEqual({
      ...{ x: 0, y: -4_400, zoom: 1 },
    });
  });
});
