import type { DoneJson, ResyncJson } from '@uncaged/protocol/api';
import type { ThreadId } from '@uncaged/protocol/ids';
import { type EventRow, isOver, type Store, type ThreadRow } from '../../store/index.js';
import { eventJson } from '../../views/index.js';
import { EVENT_PAGE_ROWS } from '../limits.js';
import { createLiveReader } from './live-reader.js';
import type { SseChannel, SseSource } from './sse-response.js';
import { eventId, resumeAfter, sseText } from './sse-text.js';
import type { Tailer } from './tailer.js';

/** After these a thread may be over; the row tells. */
const LAST: ReadonlySet<EventRow['type']> = new Set([
  'thread.completed',
  'thread.failed',
  'thread.cancelled',
  'thread.removed',
]);

/**
 * A thread's events from the beginning or the given id on, text of its step in flight, and `done` once nothing can follow: it
 * is over or was removed. While it is paused, interrupted or could be retried the stream stays open.
 */
export function threadSource(
  tailer: Tailer,
  thread: ThreadId,
  lastEventId: string | undefined,
  channel: SseChannel,
): SseSource {
  const { store } = tailer;
  const live = createLiveReader(store, thread);
  const resume = resumeAfter(store, thread, lastEventId);
  let { seq } = resume;
  let prelude =
    resume.resync === null ? '' : sseText('resync', { reason: resume.resync } satisfies ResyncJson);
  let isCaughtUp = false;

  const textOf = (events: readonly EventRow[]): string =>
    events
      .map((event) => {
        seq = event.seq;
        live.see(event);
        return eventText(store, event);
      })
      .join('');

  /** Events and row of one moment, so that `done` never comes before the last event. */
  const advance = (): ReturnType<SseSource['replay']> => {
    const { events, row } = store.read(() => ({
      events: store.events.after({ seq, thread, limit: EVENT_PAGE_ROWS }),
      row: store.threads.get(thread),
    }));
    const text = textOf(events);
    if (events.length === EVENT_PAGE_ROWS) return { text, next: 'replay' };
    return row === null || isOver(row)
      ? { text: text + doneText(thread, row), next: 'end' }
      : { text: text + live.read(), next: 'follow' };
  };

  const catchUp = (): void => {
    for (;;) {
      const { text, next } = advance();
      if (text !== '') channel.push(text);
      if (next === 'end') channel.end();
      if (next !== 'replay') return;
    }
  };

  const unsubscribe = tailer.subscribe({
    changed: (rows) => {
      if (!isCaughtUp) return;
      const own = rows.filter((event) => event.thread === thread && event.seq > seq);
      if (own.some(({ type }) => LAST.has(type))) {
        catchUp();
        return;
      }
      const text = textOf(own) + live.read();
      if (text !== '') channel.push(text);
    },
    ended: channel.end,
  });

  return {
    replay: () => {
      const { text, next } = advance();
      isCaughtUp = next !== 'replay';
      const given = prelude + text;
      prelude = '';
      return { text: given, next };
    },
    close: unsubscribe,
  };
}

export function eventText(store: Store, event: EventRow): string {
  return sseText(event.type, eventJson(event), eventId(store, event.seq));
}

function doneText(thread: ThreadId, row: ThreadRow | null): string {
  const done: DoneJson = {
    thread,
    status: row?.status ?? null,
    returnCode: row?.returnCode ?? null,
  };
  return sseText('done', done);
}
