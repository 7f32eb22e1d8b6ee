import type { Live } from './features/live/index.js';
import { FETCH_PARTS_AFTER_MS } from './limits.js';

/**
 * Fetches the parts that the page did not begin with, one after the other, once it is live: whoever needs one later has it
 * also while the gateway is away. A browser does not try a part again that it could not fetch, so it waits for a time when
 * the gateway answers. What is missing for good is for `reloadForNewBuild`.
 */
export function fetchParts(live: Live, parts: readonly (() => Promise<unknown>)[]): void {
  const waiting = [...parts];
  let isBusy = false;

  async function next(): Promise<void> {
    const isLive = live.state().connection.state === 'live';
    const part = isLive && !isBusy ? waiting.shift() : undefined;
    if (part === undefined) return;
    isBusy = true;
    // One that could not be fetched is told of by whoever needs it.
    await Promise.allSettled([part()]);
    isBusy = false;
    void next();
  }

  const later = () => void setTimeout(() => void next(), FETCH_PARTS_AFTER_MS);
  live.onChange((change) => {
    if (change.type === 'snapshot') later();
  });
  // What is there already before anybody listened.
  later();
}
