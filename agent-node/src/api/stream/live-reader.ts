import type { ThreadId } from '@uncaged/protocol/ids';
import type { EventRow, Store } from '../../store/index.js';
import { liveJson } from '../../views/index.js';
import { LIVE_PAGE_ROWS } from '../limits.js';
import { sseText } from './sse-text.js';

export type LiveReader = {
  /** Keeps up with which step is in flight. */
  see: (event: EventRow) => void;
  /** What was not given yet of the step in flight; '' when there is nothing. */
  read: () => string;
};

/** Text of a thread's step in flight, from its beginning. */
export function createLiveReader(store: Store, thread: ThreadId): LiveReader {
  const open = store.steps.lastOpen(thread);
  let step: { seq: number; n: number } | null = open === null ? null : { seq: open.seq, n: 0 };
  return {
    see: ({ type, data }) => {
      if (type === 'step.started') step = { seq: Number(data.seq), n: 0 };
      else if (type === 'step.committed' || type === 'step.failed') step = null;
      else if (type === 'thread.interrupted') step = null;
    },
    read: () => {
      let text = '';
      while (step !== null) {
        const rows = store.live.after({ thread, ...step, limit: LIVE_PAGE_ROWS });
        for (const row of rows) text += sseText('live', liveJson(row));
        step.n = rows.at(-1)?.n ?? step.n;
        if (rows.length < LIVE_PAGE_ROWS) break;
      }
      return text;
    },
  };
}
