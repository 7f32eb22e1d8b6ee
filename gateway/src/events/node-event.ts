import type { SseMessage } from '@uncaged/protocol/api';
import {
  eventSchema,
  eventTypeSchema,
  liveSchema,
  type PlacedEventJson,
  type PlacedLiveJson,
  type SnapshotJson,
  snapshotSchema,
} from '@uncaged/protocol/api';
import { Problem } from '@uncaged/protocol/problem';
import type { z } from 'zod';
import { sseBytes } from './sse-text.js';

/** An event of a node, checked and encoded for all who follow. */
export type PlacedEvent = { seq: number; bytes: Buffer };

/** `<storeId>.<seq>`; nothing else of a node may stand in a line of its own. */
const EVENT_ID = /^[A-Za-z0-9_-]{1,64}\.(\d{1,16})$/;

/** How a node stands. Throws `node-failed` when it is anything else. */
export function parseSnapshot(event: SseMessage): SnapshotJson {
  if (event.event !== 'snapshot') throw malformed(`began with ${nameOf(event)}, not a snapshot`);
  return parseData(event, snapshotSchema);
}

/** Types that a node's stream may carry, but not among its events. */
const MISPLACED = new Set(['snapshot', 'live', 'done', 'resync']);

/** Of a type that this gateway does not know: a newer node may have more to tell. */
export function isForeign({ event: type }: SseMessage): boolean {
  return !MISPLACED.has(type) && !eventTypeSchema.safeParse(type).success;
}

/** Throws `node-failed` for a type that is none, a shape that is wrong, an id that does not belong to it. */
export function placeEvent(event: SseMessage, node: string): PlacedEvent {
  if (!eventTypeSchema.safeParse(event.event).success)
    throw malformed(`sent ${nameOf(event)}, which is no event of a node`);
  const parsed = parseData(event, eventSchema);
  if (parsed.type !== event.event) throw malformed(`sent ${nameOf(event)} as ${parsed.type}`);
  if (event.id === null || Number(EVENT_ID.exec(event.id)?.[1]) !== parsed.seq)
    throw malformed(`sent ${nameOf(event)} without an id that ends in its seq`);
  const placed: PlacedEventJson = { ...parsed, node };
  return { seq: parsed.seq, bytes: sseBytes(parsed.type, placed, event.id) };
}

/** Text of one of these threads; null: another event. Throws `node-failed` for a shape that is wrong or text nobody asked for. */
export function placeLive(
  event: SseMessage,
  node: string,
  threads: ReadonlySet<string>,
): Buffer | null {
  if (event.event !== 'live') return null;
  const live = parseData(event, liveSchema);
  if (!threads.has(live.thread)) throw malformed('sent text of a thread it was not asked for');
  const placed: PlacedLiveJson = { ...live, node };
  return sseBytes('live', placed);
}

export function malformed(what: string, cause?: unknown): Problem {
  return new Problem('node-failed', `The node's stream of events ${what}.`, { cause });
}

function parseData<T extends z.ZodType>(event: SseMessage, schema: T): z.infer<T> {
  let json: unknown;
  try {
    json = JSON.parse(event.data);
  } catch (cause) {
    throw malformed(`sent ${nameOf(event)} that is not JSON`, cause);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  throw malformed(`sent ${nameOf(event)} of a wrong shape at '${where.slice(0, NAME_MAX)}'`);
}

/** What a node says may be of any length; a line of the log is not. */
const NAME_MAX = 40;

function nameOf({ event: type }: SseMessage): string {
  return JSON.stringify(type.slice(0, NAME_MAX));
}
