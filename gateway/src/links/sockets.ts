import type { Duplex } from 'node:stream';
import type { LinkClock } from '@uncaged/protocol/link';

export type Sockets = {
  /** Takes a socket in until it has closed. Its errors are of no further interest: 'close' follows each of them. */
  add(socket: Duplex): void;
  /** Waits at most `limitMs` until all have closed, then cuts off those that have not. */
  close(limitMs: number): Promise<void>;
};

/** Every socket that was handed over, whatever has become of it, so that none is left in the end. */
export function createSockets(clock: LinkClock): Sockets {
  const sockets = new Set<Duplex>();
  let emptied: () => void = () => undefined;

  // One function for all: a link that idles should cost little.
  function forget(this: Duplex): void {
    sockets.delete(this);
    if (sockets.size === 0) emptied();
  }
  return {
    add(socket) {
      sockets.add(socket);
      socket.on('error', leaveItToClose);
      socket.on('close', forget);
    },
    async close(limitMs) {
      if (sockets.size > 0)
        await new Promise<void>((resolve) => {
          const callOff = clock.after(limitMs, resolve);
          emptied = () => {
            callOff();
            resolve();
          };
        });
      await Promise.all(
        [...sockets].map(
          (socket) =>
            new Promise<void>((resolve) => {
              socket.once('close', () => resolve());
              socket.destroy();
            }),
        ),
      );
    },
  };
}

/** Without a listener an error of a socket would end the process. */
function leaveItToClose(): void {}
