import { isProblem, type PlacedEventJson, type PlacedThread } from '@uncaged/protocol/api';
import { REFRESH_EVERY_MS, REFRESHES_AT_ONCE } from '../../limits.js';
import { placeOf } from './live-state.js';

export type Refresher = {
  /** Something happened to a thread: its row is looked at again soon. */
  touch: (event: PlacedEventJson) => void;
  close: () => void;
};

export type RefresherInput = {
  getSummary: (node: string, id: string) => Promise<PlacedThread | null>;
  onSummary: (thread: PlacedThread) => void;
  /** Runs `task` after so many ms; returns what calls it off. */
  after: (ms: number, task: () => void) => () => void;
};

/**
 * Events carry small fields only; tokens, cost and prompts of a thread are in its row. However often a thread is touched, its
 * row is asked for once at a time and not again before REFRESH_EVERY_MS.
 */
export function createRefresher({ getSummary, onSummary, after }: RefresherInput): Refresher {
  const dirty = new Map<string, { node: string; id: string }>();
  const resting = new Set<string>();
  const timers = new Set<() => void>();
  let asking = 0;
  let closed = false;

  function pump(): void {
    if (closed) return;
    for (const [place, { node, id }] of dirty) {
      if (asking >= REFRESHES_AT_ONCE) return;
      if (resting.has(place)) continue;
      dirty.delete(place);
      resting.add(place);
      asking += 1;
      void look(place, node, id);
    }
  }

  async function look(place: string, node: string, id: string): Promise<void> {
    try {
      const thread = await getSummary(node, id);
      if (thread !== null && !closed) onSummary(thread);
    } catch (error) {
      if (!isProblem(error)) throw error;
      // The node is away, or the session is over: the stream tells, and a snapshot follows when it is back.
    } finally {
      asking -= 1;
      const cancel = after(REFRESH_EVERY_MS, () => {
        timers.delete(cancel);
        resting.delete(place);
        pump();
      });
      timers.add(cancel);
      pump();
    }
  }

  return {
    touch: ({ node, thread, type }) => {
      if (thread === null || type === 'thread.removed') return;
      dirty.set(placeOf(node, thread), { node, id: thread });
      pump();
    },
    close: () => {
      closed = true;
      for (const cancel of timers) cancel();
      timers.clear();
      dirty.clear();
    },
  };
}
