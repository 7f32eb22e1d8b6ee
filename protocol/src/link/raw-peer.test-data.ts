import type { Frame } from './frame-types.js';
import { decodeFrame, encodeFrame } from './frames.js';
import { LINK_LIMITS, type LinkLimits } from './limits.js';
import type { Transport } from './transport.js';

export type RawPeer = {
  /** For the side under test. */
  readonly transport: Transport;
  /** What that side sent, in the batches it was handed over in. */
  readonly batches: Frame[][];
  /** How it ended the transport: `close 1002 bad-frame`, `terminate`. */
  readonly endings: string[];
  /** All frames that came, and forgets them. */
  take(): Frame[];
  send(...frames: Frame[]): void;
  sendBytes(bytes: Uint8Array): void;
  /** From now on nothing is flushed; `flush` lets what has come so far go. */
  hold(): void;
  flush(): void;
  closed(reason: string): void;
};

/** The other side of a link, played frame by frame. */
export function createRawPeer(limits: LinkLimits = LINK_LIMITS): RawPeer {
  let receive: (message: Uint8Array) => void = () => undefined;
  let closed: (reason: string) => void = () => undefined;
  let holding = false;
  let held: (() => void)[] = [];
  const batches: Frame[][] = [];
  const endings: string[] = [];

  return {
    batches,
    endings,
    transport: {
      send(messages, flushed) {
        batches.push(messages.flatMap((message) => decodeFrame(message.slice(), limits) ?? []));
        if (holding) held.push(flushed);
        else flushed();
      },
      onMessage(receiver) {
        receive = receiver;
      },
      onClose(listener) {
        closed = listener;
      },
      close: (status, reason) => void endings.push(`close ${status} ${reason}`),
      terminate: () => void endings.push('terminate'),
    },
    take: () => batches.splice(0).flat(),
    send(...frames) {
      for (const frame of frames) receive(encodeFrame(frame));
    },
    sendBytes: (bytes) => receive(bytes),
    hold() {
      holding = true;
    },
    flush() {
      holding = false;
      const flushes = held;
      held = [];
      for (const flushed of flushes) flushed();
    },
    closed: (reason) => closed(reason),
  };
}
