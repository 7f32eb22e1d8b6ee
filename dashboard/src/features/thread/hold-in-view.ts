import { JUMP_MS } from '../../limits.js';

/**
 * Brings something into view and keeps it there while what is around it is measured and loads, for JUMP_MS at most or until
 * the person scrolls. Returns what ends it.
 */
export function holdInView(bring: () => void): () => void {
  const until = performance.now() + JUMP_MS;
  let frame = 0;
  const stop = () => {
    cancelAnimationFrame(frame);
    for (const event of PERSON_MOVES) removeEventListener(event, stop);
  };
  const step = () => {
    bring();
    if (performance.now() < until) frame = requestAnimationFrame(step);
    else stop();
  };
  for (const event of PERSON_MOVES) addEventListener(event, stop, { passive: true });
  step();
  return stop;
}

const PERSON_MOVES = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
