import type {
  GatewayMessage,
  PlacedEventJson,
  PlacedLiveJson,
  PlacedThread,
} from '@uncaged/protocol/api';
import type { Connection } from './live-state.js';

type DataOf<N extends GatewayMessage['event']> = Extract<GatewayMessage, { event: N }>['data'];

/** Everything that changes the live state. */
export type LiveChange =
  | { type: 'connection'; connection: Connection }
  /** `resumed`: the stream was only asked for other texts; nothing was missed. */
  | { type: 'snapshot'; data: DataOf<'snapshot'>; resumed: boolean }
  | { type: 'node.up'; data: DataOf<'node.up'> }
  | { type: 'node.down'; data: DataOf<'node.down'> }
  | { type: 'event'; data: PlacedEventJson }
  | { type: 'live'; data: PlacedLiveJson }
  /** This tab was away and has the state anew: it does not know what it missed. */
  | { type: 'rejoined' }
  /** A row that was asked for again after something happened to the thread. */
  | { type: 'summary'; data: PlacedThread };

export function changeOf(message: GatewayMessage, resumed: boolean): LiveChange {
  switch (message.event) {
    case 'snapshot':
      return { type: 'snapshot', data: message.data, resumed };
    case 'node.up':
      return { type: 'node.up', data: message.data };
    case 'node.down':
      return { type: 'node.down', data: message.data };
    case 'live':
      return { type: 'live', data: message.data };
    default:
      return { type: 'event', data: message.data };
  }
}
