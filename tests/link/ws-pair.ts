import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createSocketTransport,
  LINK_LIMITS,
  LINK_SUBPROTOCOL,
  maxMessageBytes,
  type Transport,
} from '@uncaged/protocol/link';
import { WebSocket, WebSocketServer } from 'ws';
import type { TransportPair } from './open-pair.js';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.js';

const OPTIONS = {
  perMessageDeflate: false,
  maxPayload: maxMessageBytes(LINK_LIMITS),
} as const;

/** Two ends of a real WebSocket on this machine. */
export async function openWsPair(): Promise<TransportPair> {
  const server = await listen();
  return pairOf(server, server.port, null);
}

/** The same through a proxy that can be a bad network. */
export async function openProxiedPair(): Promise<TransportPair> {
  const server = await listen();
  const proxy = await openTcpProxy(server.port);
  return pairOf(server, proxy.port, proxy);
}

type Server = {
  readonly port: number;
  readonly accepted: Promise<{ transport: Transport; socket: WebSocket }>;
  close(): Promise<void>;
};

async function listen(): Promise<Server> {
  const http = createServer();
  const upgrades = new WebSocketServer({ ...OPTIONS, noServer: true });
  const accepted = new Promise<{ transport: Transport; socket: WebSocket }>((resolve) => {
    http.on('upgrade', (request, raw, head) => {
      upgrades.handleUpgrade(request, raw, head, (socket) => {
        resolve({ transport: createSocketTransport(socket, raw), socket });
      });
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    port: (http.address() as AddressInfo).port,
    accepted,
    async close() {
      http.close();
      http.closeAllConnections();
      await once(http, 'close');
    },
  };
}

async function pairOf(
  server: Server,
  port: number,
  proxy: TcpProxy | null,
): Promise<TransportPair> {
  const dialled = new WebSocket(`ws://127.0.0.1:${port}/connect`, LINK_SUBPROTOCOL, OPTIONS);
  const upgraded = once(dialled, 'upgrade') as Promise<[IncomingMessage]>;
  const opened = once(dialled, 'open');
  const [response] = await upgraded;
  const node = createSocketTransport(dialled, response.socket);
  const [{ transport: gateway, socket }] = await Promise.all([server.accepted, opened]);
  return {
    gateway,
    node,
    freeze() {
      if (proxy !== null) proxy.freeze();
      else {
        socket.pause();
        dialled.pause();
      }
    },
    cut() {
      if (proxy !== null) proxy.cut();
      else response.socket.resetAndDestroy();
    },
    throttle: proxy === null ? null : proxy.throttle,
    async close() {
      socket.terminate();
      dialled.terminate();
      await proxy?.close();
      await server.close();
    },
  };
}
