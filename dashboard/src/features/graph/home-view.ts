import { type Box, centreX, centreY } from './geometry.js';
import { ZOOM_READABLE } from './graph-sizes.js';

export type Size = { width: number; height: number };
/** Where the drawing's (0, 0) is in the frame, and how large a px of it is. */
export type View = { x: number; y: number; zoom: number };

/** All of it, as large as it fits, in the middle. */
export function wholeView(drawing: Size, frame: Size): View {
  const zoom = Math.min(1, frame.width / drawing.width, frame.height / drawing.height);
  return {
    x: (frame.width - drawing.width * zoom) / 2,
    y: (frame.height - drawing.height * zoom) / 2,
    zoom,
  };
}

/** All of it where that is readable; else as much around `at` as can be read, or of its width where that fits. */
export function homeView(drawing: Size, frame: Size, at: Box): View {
  const whole = wholeView(drawing, frame);
  if (whole.zoom >= ZOOM_READABLE) return whole;
  return around(
    drawing,
    frame,
    at,
    Math.max(ZOOM_READABLE, Math.min(1, frame.width / drawing.width)),
  );
}

/** A box in the middle, at a zoom; nothing beyond the drawing's ends while there is more of it. */
export function around(drawing: Size, frame: Size, box: Box, zoom: number): View {
  return {
    x: along(drawing.width * zoom, frame.width, centreX(box) * zoom),
    y: along(drawing.height * zoom, frame.height, centreY(box) * zoom),
    zoom,
  };
}

/** The middle of a short one; of a long one what has `point` in the middle, and nothing beyond its ends. */
function along(length: number, frame: number, point: number): number {
  if (length <= frame) return (frame - length) / 2;
  return Math.min(0, Math.max(frame - length, frame / 2 - point));
}

/** Whether a box of the drawing is all in the frame. */
export function isInView(box: Box, { x, y, zoom }: View, frame: Size): boolean {
  const left = box.x * zoom + x;
  const top = box.y * zoom + y;
  return (
    left >= 0 &&
    top >= 0 &&
    left + box.width * zoom <= frame.width &&
    top + box.height * zoom <= frame.height
  );
}
