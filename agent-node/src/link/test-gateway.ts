import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Admission,
  acceptLink,
  createSocketTransport,
  createSystemClock,
  type GatewayMux,
  type Hello,
  LINK_SUBPROTOCOL,
  type LinkResponse,
  maxMessageBytes,
} from '@uncaged/protocol/link';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { connectNode } from './connect-node.js';
import type { ConnectionState } from './connection.js';
import { type NodeLinkLimits, readLinkLimits } from './limits.js';
import type { RequestApp } from './serve-request.js';

/** What the tests of the link build on: a small gateway on a real socket, and a node that dials it. */

export const TOKEN = 'a-token-of-the-tests';

/** As what ships, with timers in milliseconds. */
export const testLimits: NodeLinkLimits = {
  ...readLinkLimits({}),
  retryMinMs: 10,
  retryMaxMs: 80,
  handshakeMs: 2_000,
  drainMs: 2_000,
  refusalMs: 200,
};

export type TestLink = { mux: GatewayMux; hello: Hello; socket: WebSocket; path: string };

export type TestGateway = {
  url: string;
  port: number;
  /** All there were, the newest last. */
  links: TestLink[];
  /** Requests for an upgrade. */
  dials: IncomingMessage[];
  /** What the next ones are answered instead of being upgraded; the whole text of an HTTP answer. */
  refuse: { with: string | null };
  admit: { with: (hello: Hello) => Admission };
  latest: () => TestLink;
  stop: () => Promise<void>;
};

export async function startGateway(
  options: { tls?: { key: string; cert: string }; port?: number } = {},
): Promise<TestGateway> {
  const server: Server = options.tls === undefined ? createServer() : createTlsServer(options.tls);
  const sockets = new Set<Socket>();
  const web = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes(testLimits),
    handleProtocols: () => LINK_SUBPROTOCOL,
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const gateway: TestGateway = {
    url: '',
    port: 0,
    links: [],
    dials: [],
    refuse: { with: null },
    admit: { with: () => ({ generation: gateway.links.length + 1 }) },
    latest: () => {
      const link = gateway.links.at(-1);
      if (link === undefined) throw new Error('no node has come');
      return link;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  server.on('upgrade', (request, raw: Socket, head: Buffer) => {
    gateway.dials.push(request);
    raw.on('error', () => undefined);
    if (gateway.refuse.with !== null) {
      raw.end(gateway.refuse.with);
      return;
    }
    web.handleUpgrade(request, raw, head, (socket) => {
      void acceptLink({
        transport: createSocketTransport(socket, raw),
        clock: createSystemClock(),
        limits: testLimits,
        gateway: 'test-gateway',
        onClose: () => undefined,
        onGoaway: () => undefined,
        admit: async (hello) => gateway.admit.with(hello),
      }).then(
        ({ mux, hello }) =>
          void gateway.links.push({ mux, hello, socket, path: request.url ?? '' }),
        () => undefined,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  gateway.port = (server.address() as AddressInfo).port;
  gateway.url = `http${options.tls === undefined ? '' : 's'}://127.0.0.1:${gateway.port}`;
  onTestFinished(gateway.stop);
  return gateway;
}

export type TestNode = {
  states: ConnectionState[];
  log: string[];
  /** Detaches; resolves when it has. */
  stop: () => Promise<void>;
  /** What `connectNode` came to: null in order, else what it threw. */
  ended: Promise<unknown>;
  waits: () => Extract<ConnectionState, { name: 'waiting' }>[];
};

export function startNode(
  gateways: readonly string[],
  app: RequestApp,
  options: {
    limits?: Partial<NodeLinkLimits>;
    random?: () => number;
    proxyFor?: (url: string) => string;
  } = {},
): TestNode {
  const states: ConnectionState[] = [];
  const log: string[] = [];
  const leaving = new AbortController();
  const { limits, ...rest } = options;
  const ended = connectNode({
    gateways,
    token: TOKEN,
    name: 'laptop',
    version: '1.2.3',
    labels: { os: 'linux' },
    allow: ['read', 'run'],
    app,
    onState: (state) => states.push(state),
    log: (tag, text) => log.push(`${tag} ${text}`),
    limits: { ...testLimits, ...limits },
    signal: leaving.signal,
    proxyFor: () => '',
    ...rest,
  }).then(
    () => null,
    (error: unknown) => error,
  );
  const stop = async () => {
    leaving.abort();
    await ended;
  };
  onTestFinished(stop);
  return {
    states,
    log,
    stop,
    ended,
    waits: () => states.filter((state) => state.name === 'waiting'),
  };
}

export async function until(what: string, look: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!look()) {
    if (performance.now() > deadline) throw new Error(`did not come: ${what}`);
    await pause(2);
  }
}

export async function readAll(response: LinkResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  if (response.body !== null) for await (const chunk of response.body) chunks.push(chunk.slice());
  return Buffer.concat(chunks).toString('utf8');
}

export const get = (mux: GatewayMux, path: string, signal?: AbortSignal) =>
  mux.request({ method: 'GET', path, headers: [], body: null, signal });

/** An answer of a gateway that upgrades nothing. */
export function httpAnswer(status: string, headers: Record<string, string>, body: string): string {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) });
  return `HTTP/1.1 ${status}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}connection: close\r\n\r\n${body}`;
}
