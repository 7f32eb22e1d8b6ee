import { TRACK_FIRST_MS, TRACK_MAX_MS } from './limits.js';
import { readChildren, readProcess } from './process-table.js';

/**
 * Remembers the descendants of a running process, so that those which leave group, environment and parent can be ended
 * later. Looks rarely and only at the tree itself: what leaves all three before the first look is not seen.
 */
export type DescendantTracker = {
  /** pid → `began` of all that were ever seen and may still run. */
  seen: ReadonlyMap<number, number>;
  /** Looks once more. */
  look: () => void;
  stop: () => void;
};

export function trackDescendants(pid: number): DescendantTracker {
  const seen = new Map<number, number>();
  let wait = TRACK_FIRST_MS;
  let timer: NodeJS.Timeout;
  const look = () => {
    for (const [known, began] of seen) if (readProcess(known)?.began !== began) seen.delete(known);
    const queue = [pid, ...seen.keys()];
    for (const parent of queue) {
      for (const child of readChildren(parent)) {
        if (seen.has(child)) continue;
        const row = readProcess(child);
        if (row === null) continue;
        seen.set(child, row.began);
        queue.push(child);
      }
    }
  };
  const schedule = () => {
    timer = setTimeout(() => {
      look();
      wait = Math.min(wait * 2, TRACK_MAX_MS);
      schedule();
    }, wait);
    timer.unref();
  };
  schedule();
  return { seen, look, stop: () => clearTimeout(timer) };
}
