import { JUMP_MS } from '../../limits.js';

/**
 * Brings something into view and keeps it there while what is around it is measured and loads, for JUMP_MS at most or until
 * the person scrolls. Returns what ends it.
 */
export function holdInView(bring: () => void): () => void {
  const until = performance.now() + JUMP_MS;
  let frame = 0;
  const stop = untilPersonMoves(() => cancelAnimationFrame(frame));
  const step = () => {
    bring();
    if (performance.now() < until) frame = requestAnimationFrame(step);
    else stop();
  };
  step();
  return stop;
}

/** As `holdInView`, for as long as `view` changes its size, however late. */
export function holdWhileGrowing(view: Element, bring: () => void): () => void {
  const observer = new ResizeObserver(bring);
  observer.observe(view);
  return untilPersonMoves(() => observer.disconnect());
}

/** Calls `end` when the person begins to look elsewhere, or when what it returns is called. */
function untilPersonMoves(end: () => void): () => void {
  const stop = () => {
    end();
    for (const event of PERSON_MOVES) removeEventListener(event, stop);
  };
  for (const event of PERSON_MOVES) addEventListener(event, stop, { passive: true });
  return stop;
}

const PERSON_MOVES = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
