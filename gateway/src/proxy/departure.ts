import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallOff } from '@uncaged/protocol/link';

/**
 * Called off when the client of a request has left before its answer was complete. Not an `AbortSignal`: a real one takes
 * several µs of each request, a good part of what passing a small answer on takes at all.
 */
export function watchDeparture(request: IncomingMessage, response: ServerResponse): CallOff {
  const listeners = new Set<() => void>();
  const state = { aborted: false };
  const leave = (): void => {
    if (response.writableFinished || state.aborted) return;
    state.aborted = true;
    for (const listener of [...listeners]) listener();
    listeners.clear();
  };
  response.once('close', leave);
  if (response.socket === null) watchConnection(request, response, leave);
  return {
    get aborted() {
      return state.aborted;
    },
    reason: 'the client has left',
    addEventListener: (_, listener) => void listeners.add(listener),
    removeEventListener: (_, listener) => void listeners.delete(listener),
  };
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
