import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallOff } from '@uncaged/protocol/link';

/**
 * Called off when the client of a request has left before its answer was complete. Not an `AbortSignal`: a real one takes
 * several µs of each request, a good part of what passing a small answer on takes at all.
 */
export function watchDeparture(request: IncomingMessage, response: ServerResponse): CallOff {
  const departure = new Departure();
  const leave = (): void => {
    if (!response.writableFinished) departure.leave();
  };
  // Comes once; to say so takes longer than to listen.
  response.on('close', leave);
  if (response.socket === null) watchConnection(request, response, leave);
  return departure;
}

class Departure implements CallOff {
  aborted = false;
  readonly reason = 'the client has left';
  /** One or two: the request under way, and whoever waits for the client to read. */
  #listeners: readonly (() => void)[] = [];

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners = [...this.#listeners, listener];
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener);
  }

  leave(): void {
    if (this.aborted) return;
    this.aborted = true;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}

/** Pipelined, and not its turn yet: nobody tells the response when the connection ends. */
function watchConnection(
  { socket }: IncomingMessage,
  response: ServerResponse,
  leave: () => void,
): void {
  // As many as the client has sent ahead; Node bounds that by what it reads ahead.
  socket.setMaxListeners(0);
  socket.once('close', leave);
  response.once('finish', () => socket.off('close', leave));
}
