import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type TcpFreezer = {
  readonly port: number;
  /** From now on nothing passes, either way, and nobody is told: as when a machine falls asleep. */
  freeze(): void;
  close(): Promise<void>;
};

/** Carries TCP to a port of this machine until it freezes. */
export async function openTcpFreezer(targetPort: number): Promise<TcpFreezer> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true });
    client.pipe(target);
    target.pipe(client);
    for (const socket of [client, target]) {
      sockets.add(socket);
      // 'close' ends the other side.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
