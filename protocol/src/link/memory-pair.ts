import type { LinkClock } from './clock.js';
import type { Transport } from './transport.js';

export type MemoryPair = {
  readonly gateway: Transport;
  readonly node: Transport;
  /** Nothing arrives and nothing is flushed until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Both ends learn that it is over; what is under way is lost. */
  cut(): void;
};

type End = Transport & {
  receive(messages: readonly Uint8Array[]): void;
  closed(reason: string): void;
};

/** Two transports that are each other's other end, without a socket: for tests, and for a gateway and a node in one process. */
export function createMemoryPair(clock: LinkClock): MemoryPair {
  let frozen = false;
  let over = false;
  let waiting: (() => void)[] = [];

  /** In the order it was said, a turn later; held back while frozen. */
  const later = (task: () => void) => {
    waiting.push(task);
    if (waiting.length === 1) clock.soon(deliver);
  };
  const deliver = () => {
    if (frozen) return;
    const tasks = waiting;
    waiting = [];
    for (const task of tasks) task();
  };
  const end = (reason: string) => {
    if (over) return;
    over = true;
    gateway.closed(reason);
    node.closed(reason);
  };

  const createEnd = (other: () => End): End => {
    let receive: (message: Uint8Array) => void = () => undefined;
    let closed: (reason: string) => void = () => undefined;
    return {
      send(messages, flushed) {
        if (over) return;
        // As over a socket, nobody shares memory with the other side.
        const copies = messages.map((message) => message.slice());
        later(() => {
          if (over) return;
          flushed();
          other().receive(copies);
        });
      },
      onMessage(receiver) {
        receive = receiver;
      },
      onClose(listener) {
        closed = listener;
      },
      close(status, reason) {
        later(() => end(`closed with ${status} ${reason}`));
      },
      terminate() {
        later(() => end('terminated'));
      },
      receive(messages) {
        for (const message of messages) receive(message);
      },
      closed: (reason) => closed(reason),
    };
  };
  const gateway: End = createEnd(() => node);
  const node: End = createEnd(() => gateway);

  return {
    gateway,
    node,
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
      if (waiting.length > 0) clock.soon(deliver);
    },
    cut: () => end('cut'),
  };
}
