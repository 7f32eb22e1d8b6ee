import type { Transport } from './transport.js';

/** What of a `ws` WebSocket is used. */
export type WebSocketLike = {
  send(data: Uint8Array, sent: (error?: Error | null) => void): void;
  on(event: 'message', listener: (data: unknown, isBinary: boolean) => void): unknown;
  on(event: 'close', listener: (code: number, reason: Uint8Array) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(code: number, reason: string): void;
  terminate(): void;
};

/** What of the socket below it is used. */
export type CorkableSocket = { cork(): void; uncork(): void };

/** A text message is no frame; as one without a header it is refused like any other. */
const NO_FRAME = new Uint8Array(0);

/**
 * A `ws` WebSocket as a transport. To be made before anything can arrive: by a gateway in the callback of `handleUpgrade`, by a
 * node when `open` is emitted or earlier. `raw` is the socket below: corked, a batch of messages is one write. A gateway has
 * it from `upgrade` of its server, a node from `upgrade` of the WebSocket (`response.socket`), which comes in the same turn as
 * `open`: listen to both before waiting for either.
 */
export function createSocketTransport(socket: WebSocketLike, raw: CorkableSocket): Transport {
  let receive: (message: Uint8Array) => void = () => undefined;
  let closed: (reason: string) => void = () => undefined;
  let failure: string | null = null;

  socket.on('message', (data, isBinary) => {
    const isFrame = isBinary && data instanceof Uint8Array;
    // A plain view: `slice` of a Buffer does not copy, as it does everywhere else.
    receive(isFrame ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : NO_FRAME);
  });
  // 'close' follows, always.
  socket.on('error', (error) => {
    failure ??= error.message;
  });
  socket.on('close', (code, reason) => {
    const text = new TextDecoder().decode(reason);
    closed(failure ?? `the socket closed with ${code}${text === '' ? '' : ` ${text}`}`);
  });

  return {
    send(messages, flushed) {
      raw.cork();
      messages.forEach((message, index) => {
        const last = index === messages.length - 1;
        socket.send(message, (error) => {
          // What cannot be sent any more is told by 'close'.
          if (last && !error) flushed();
        });
      });
      raw.uncork();
    },
    onMessage(receiver) {
      receive = receiver;
    },
    onClose(listener) {
      closed = listener;
    },
    close: (status, reason) => socket.close(status, reason),
    terminate: () => socket.terminate(),
  };
}
