import type { SnapshotJson } from '@uncaged/protocol/api';
import type { ThreadId } from '@uncaged/protocol/ids';
import { threadSummary } from '../../views/index.js';
import { SNAPSHOT_MAX_THREADS } from '../limits.js';
import { createLiveReader } from './live-reader.js';
import type { SseChannel, SseSource } from './sse-response.js';
import { eventId, sseText } from './sse-text.js';
import type { Tailer } from './tailer.js';
import { eventText } from './thread-stream.js';

/** Everything that happens on the node: how things stand, then events; of the named threads their live text too. */
export function nodeSource(
  tailer: Tailer,
  threads: readonly ThreadId[],
  channel: SseChannel,
): SseSource {
  const { store } = tailer;
  const live = new Map([...new Set(threads)].map((id) => [id, createLiveReader(store, id)]));
  const liveText = () => [...live.values()].map((reader) => reader.read()).join('');
  /** Null until the snapshot was taken. */
  let seq: number | null = null;

  const unsubscribe = tailer.subscribe({
    changed: (rows) => {
      if (seq === null) return;
      let text = '';
      for (const event of rows) {
        if (event.seq <= seq) continue;
        seq = event.seq;
        if (event.thread !== null) live.get(event.thread)?.see(event);
        text += eventText(store, event);
      }
      text += liveText();
      if (text !== '') channel.push(text);
    },
    ended: channel.end,
  });

  return {
    replay: () => {
      const snapshot = store.read(
        (): SnapshotJson => ({
          seq: store.events.lastSeq(),
          counts: store.threads.countByStatus(),
          threads: store.threads
            .list({ statuses: ['running', 'waiting'], limit: SNAPSHOT_MAX_THREADS })
            .map(threadSummary),
        }),
      );
      seq = snapshot.seq;
      const text = sseText('snapshot', snapshot, eventId(store, snapshot.seq));
      return { text: text + liveText(), next: 'follow' };
    },
    close: unsubscribe,
  };
}
