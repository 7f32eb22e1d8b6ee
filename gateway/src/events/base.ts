import type { SnapshotJson } from '@uncaged/protocol/api';
import type { PlacedEvent } from './node-event.js';

/** How a node stands, for newcomers: a snapshot and every event since that has been passed on. */
export type Base = {
  readonly snapshot: SnapshotJson;
  /** When the snapshot came, ms of the clock. */
  readonly at: number;
  readonly since: EventTail;
};

/** Events in order, up to a size; one that grew too large is of no use, it has a gap. */
export type EventTail = {
  add: (event: PlacedEvent) => void;
  /** Those above `seq`. */
  after: (seq: number) => PlacedEvent[];
  isTooLarge: () => boolean;
};

export function createEventTail(maxBytes: number, first: readonly PlacedEvent[] = []): EventTail {
  let events: PlacedEvent[] = [];
  let bytes = 0;
  const add = (event: PlacedEvent): void => {
    bytes += event.bytes.byteLength;
    if (bytes > maxBytes) events = [];
    else events.push(event);
  };
  for (const event of first) add(event);
  return {
    add,
    after: (seq) => events.filter((event) => event.seq > seq),
    isTooLarge: () => bytes > maxBytes,
  };
}
