import type { Store } from '../../store/index.js';

/** An event without an id leaves the client's last one as it is. */
export function sseText(event: string, data: unknown, id?: string): string {
  // JSON has no line breaks of its own, so one line of data is enough.
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

export const SSE_COMMENT = ': \n\n';

export function eventId(store: Store, seq: number): string {
  return `${store.id}.${seq}`;
}

/**
 * Where a thread's stream goes on: after the event of this id. An id of another store, or of an event that is no longer
 * there, means from the beginning, and the client must be told.
 */
export function resumeAfter(
  store: Store,
  thread: string,
  lastEventId: string | undefined,
): { seq: number; resync: 'foreign' | 'pruned' | null } {
  if (lastEventId === undefined || lastEventId === '') return { seq: 0, resync: null };
  const dot = lastEventId.lastIndexOf('.');
  const digits = lastEventId.slice(dot + 1);
  const seq = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
  const isOurs = lastEventId.slice(0, Math.max(0, dot)) === store.id;
  if (!isOurs || !(seq > 0) || seq > store.events.lastSeq()) return { seq: 0, resync: 'foreign' };
  const [event] = store.events.after({ seq: seq - 1, thread, limit: 1 });
  return event?.seq === seq ? { seq, resync: null } : { seq: 0, resync: 'pruned' };
}
