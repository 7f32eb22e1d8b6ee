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
  return new SocketTransport(socket, raw);
}

class SocketTransport implements Transport {
  readonly #socket: WebSocketLike;
  readonly #raw: CorkableSocket;
  #receive: (message: Uint8Array) => void = ignore;
  #closed: (reason: string) => void = ignore;
  #failure: string | null = null;

  constructor(socket: WebSocketLike, raw: CorkableSocket) {
    this.#socket = socket;
    this.#raw = raw;
    socket.on('message', (data, isBinary) => {
      const isFrame = isBinary && data instanceof Uint8Array;
      // A plain view: `slice` of a Buffer does not copy, as it does everywhere else.
      const frame = isFrame
        ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
        : NO_FRAME;
      this.#receive(frame);
    });
    // 'close' follows, always.
    socket.on('error', (error) => {
      this.#failure ??= error.message;
    });
    socket.on('close', (code, reason) => {
      const text = new TextDecoder().decode(reason);
      this.#closed(
        this.#failure ?? `the socket closed with ${code}${text === '' ? '' : ` ${text}`}`,
      );
    });
  }

  send(messages: readonly Uint8Array[], flushed: () => void): void {
    const last = messages.length - 1;
    this.#raw.cork();
    for (let at = 0; at < last; at += 1) this.#socket.send(messages[at]!, ignore);
    if (last >= 0)
      this.#socket.send(messages[last]!, (error) => {
        // What cannot be sent any more is told by 'close'.
        if (!error) flushed();
      });
    this.#raw.uncork();
  }

  onMessage(receiver: (message: Uint8Array) => void): void {
    this.#receive = receiver;
  }

  onClose(listener: (reason: string) => void): void {
    this.#closed = listener;
  }

  close(status: number, reason: string): void {
    this.#socket.close(status, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }
}

function ignore(): void {}
