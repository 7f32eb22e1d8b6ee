import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** How often a throttled way lets something through, ms. */
const TICK_MS = 5;
const MS_PER_SECOND = 1000;

export type TcpProxy = {
  readonly port: number;
  /** Stops reading on both sides: their senders fill up, nobody is told. */
  freeze(): void;
  thaw(): void;
  /** Lets through at most so many bytes per second, each way. */
  throttle(bytesPerSecond: number): void;
  /** Resets every connection (RST). New ones are taken all the same. */
  cut(): void;
  close(): Promise<void>;
};

/** Carries TCP to `targetPort` on this machine, and can be a bad network. */
export async function openTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pipes = new Set<Pipe>();
  let frozen = false;
  let bytesPerSecond: number | null = null;

  const server = createServer((client) => {
    const target = connect({ port: targetPort, host: '127.0.0.1' });
    const ways = [createPipe(client, target), createPipe(target, client)];
    for (const pipe of ways) {
      pipes.add(pipe);
      pipe.set(frozen, bytesPerSecond);
    }
    for (const socket of [client, target]) {
      socket.setNoDelay(true);
      // A reset is what this is for; the other side of the pipe is ended by 'close'.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        for (const pipe of ways) {
          pipe.stop();
          pipes.delete(pipe);
        }
        client.destroy();
        target.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const setAll = () => {
    for (const pipe of pipes) pipe.set(frozen, bytesPerSecond);
  };
  const cut = () => {
    for (const pipe of [...pipes]) pipe.reset();
  };
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      frozen = true;
      setAll();
    },
    thaw() {
      frozen = false;
      setAll();
    },
    throttle(limit) {
      bytesPerSecond = limit;
      setAll();
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

type Pipe = {
  set(frozen: boolean, bytesPerSecond: number | null): void;
  stop(): void;
  reset(): void;
};

function createPipe(from: Socket, to: Socket): Pipe {
  let frozen = false;
  let bytesPerTick: number | null = null;
  let held: Buffer[] = [];
  let timer: NodeJS.Timeout | null = null;

  /** Reads on once what was taken has gone on its way. */
  const settle = () => {
    if (frozen || held.length > 0 || to.writableNeedDrain) from.pause();
    else from.resume();
  };
  const pass = () => {
    let room = bytesPerTick ?? Number.POSITIVE_INFINITY;
    while (room > 0 && !frozen && !to.writableNeedDrain) {
      const chunk = held.shift();
      if (chunk === undefined) break;
      if (chunk.byteLength > room) held.unshift(chunk.subarray(room));
      const part = chunk.subarray(0, Math.min(room, chunk.byteLength));
      room -= part.byteLength;
      to.write(part);
    }
    settle();
  };
  from.on('data', (chunk) => {
    held.push(chunk);
    if (bytesPerTick === null) pass();
    else settle();
  });
  to.on('drain', pass);
  from.on('end', () => to.end());

  return {
    set(nowFrozen, bytesPerSecond) {
      frozen = nowFrozen;
      bytesPerTick =
        bytesPerSecond === null ? null : Math.ceil((bytesPerSecond * TICK_MS) / MS_PER_SECOND);
      if (timer !== null) clearInterval(timer);
      timer = bytesPerTick === null ? null : setInterval(pass, TICK_MS);
      pass();
    },
    stop() {
      if (timer !== null) clearInterval(timer);
      timer = null;
      held = [];
    },
    reset() {
      from.resetAndDestroy();
    },
  };
}
