import type { Transport } from '@uncaged/protocol/link';

/** Two connected transports and what can be done to the way between them. */
export type TransportPair = {
  readonly gateway: Transport;
  readonly node: Transport;
  /** Nothing passes any more, and nobody is told. */
  freeze(): void;
  /** The connection is gone, with all that is under way. */
  cut(): void;
  /** Bytes per second in each direction; not every way can be narrowed. */
  throttle: ((bytesPerSecond: number) => void) | null;
  /** Waits until sockets and servers are closed. */
  close(): Promise<void>;
};

export type OpenPair = () => Promise<TransportPair>;
