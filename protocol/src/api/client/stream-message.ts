import type { z } from 'zod';
import type {
  DoneJson,
  EventJson,
  eventTypeSchema,
  LiveJson,
  ResyncJson,
  SnapshotJson,
} from '../event.js';
import type {
  GatewaySnapshotJson,
  NodeDownJson,
  NodeUpJson,
  PlacedEventJson,
  PlacedLiveJson,
} from '../gateway-event.js';

type EventType = z.infer<typeof eventTypeSchema>;

/** `id` is what a stream can be resumed from; null where nothing is. */
type Message<N extends string, D> = { event: N; id: string | null; data: D };

/** What a thread's stream carries. */
export type ThreadMessage =
  | Message<EventType, EventJson>
  | Message<'live', LiveJson>
  | Message<'resync', ResyncJson>
  | Message<'done', DoneJson>;

/** What a node's stream carries. */
export type NodeMessage =
  | Message<'snapshot', SnapshotJson>
  | Message<EventType, EventJson>
  | Message<'live', LiveJson>;

/** What a gateway's stream carries. */
export type GatewayMessage =
  | Message<'snapshot', GatewaySnapshotJson>
  | Message<'node.up', NodeUpJson>
  | Message<'node.down', NodeDownJson>
  | Message<EventType, PlacedEventJson>
  | Message<'live', PlacedLiveJson>;
