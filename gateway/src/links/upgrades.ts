import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  createSocketTransport,
  LINK_SUBPROTOCOL,
  maxMessageBytes,
  type Transport,
} from '@uncaged/protocol/link';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import { type ServerOptions, WebSocketServer } from 'ws';
import type { Address, Identity } from '../auth/index.js';
import { checkMayConnect, checkUpgrade } from './check-upgrade.js';
import { RETRY_SPREAD_S } from './limits.js';
import type { LinksOptions } from './options.js';
import { quoted } from './quoted.js';
import { refuseUpgrade } from './refuse-upgrade.js';

/** A WebSocket to somebody who may connect a node. */
export type Visitor = {
  readonly transport: Transport;
  readonly identity: Identity;
  readonly address: Address;
  /** To be called once it has said who it is, or has failed to: then the next may be greeted. More often does nothing. */
  readonly greeted: () => void;
};

/**
 * From a request for an upgrade to a WebSocket, or to an answer that says why not. `isClosing`: nobody is let in any more.
 * `opened` is called in the turn in which the WebSocket is there, before anything can come from it.
 */
export function createUpgrades(
  options: LinksOptions,
  isClosing: () => boolean,
  opened: (visitor: Visitor) => void,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const { auth, limits, clock, log, audit } = options;
  const { random = Math.random, addressOf = remoteAddress } = options;
  const server = createWebSocketServer(options, (socket, why) => {
    const problem = new Problem('invalid-argument', `Not a handshake of a WebSocket: ${why}.`);
    refuseUpgrade(socket, problem, clock, limits.link.handshakeMs);
  });
  let pending = 0;

  const later = (code: 'overloaded' | 'unreachable', message: string) =>
    new Problem(code, message, {
      details: { retryAfterS: 1 + Math.floor(random() * RETRY_SPREAD_S) },
    });
  const checkOpen = () => {
    if (isClosing()) throw later('unreachable', 'The gateway is shutting down. Try again later.');
  };
  const takeSlot = () => {
    if (pending >= limits.handshakesMax)
      throw later(
        'overloaded',
        `${pending} nodes are connecting at this moment, and no more are taken at once. Try again later.`,
      );
    pending += 1;
    let over = false;
    return () => {
      if (!over) pending -= 1;
      over = true;
    };
  };
  const refuse = (
    request: IncomingMessage,
    socket: Duplex,
    error: unknown,
    identity: Identity | null,
  ) => {
    const address = addressOf(request);
    if (!isProblem(error))
      log('197KVD18', `a node at ${address} could not be identified: ${describe(error)}`);
    const problem = isProblem(error)
      ? error
      : new Problem('internal', 'The gateway failed. Its log says more.', { cause: error });
    refuseUpgrade(socket, problem, clock, limits.link.handshakeMs);
    log('E5XTTE1S', `refused to ${address}: ${problem.status} ${quoted(problem.message)}`);
    // Only of who showed a token: these are limited per address, others could fill the disk.
    const isNoted =
      identity === null
        ? problem.status === UNAUTHORIZED && request.headers.authorization !== undefined
        : problem.code === 'forbidden';
    if (!isNoted) return;
    audit.record({
      role: identity?.role ?? 'nobody',
      name: identity?.name ?? '',
      address,
      action: 'link.refused',
      node: null,
      thread: null,
      status: problem.status,
    });
  };

  const open = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    let greeted: () => void = () => undefined;
    let identity: Identity | null = null;
    try {
      checkUpgrade(request, options.checkHost);
      checkOpen();
      greeted = takeSlot();
      // What comes in the meantime stays in the socket: nothing reads it yet.
      identity = await auth.identify(request, addressOf(request));
      checkMayConnect(identity);
      checkOpen();
    } catch (error) {
      greeted();
      refuse(request, socket, error, identity);
      return;
    }
    const address = addressOf(request);
    let isOpen = false;
    // Calls back before it returns, or not at all: it has refused then, or the client has left.
    server.handleUpgrade(request, socket, head, (webSocket) => {
      isOpen = true;
      if (socket instanceof Socket) socket.setNoDelay(true);
      opened({ transport: createSocketTransport(webSocket, socket), identity, address, greeted });
    });
    if (!isOpen) greeted();
  };
  return (request, socket, head) => void open(request, socket, head);
}

const UNAUTHORIZED = 401;

function createWebSocketServer(
  { limits: { link } }: LinksOptions,
  refused: (socket: Duplex, why: string) => void,
): WebSocketServer {
  // `closeTimeout` (ms) is not in the types yet: until the other side has answered a close.
  const options: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes(link),
    closeTimeout: link.handshakeMs,
    handleProtocols: () => LINK_SUBPROTOCOL,
  };
  const server = new WebSocketServer(options);
  server.on('wsClientError', (error, socket) => refused(socket, error.message));
  return server;
}

/** IPv4 in its usual form, also where a socket of IPv6 took it. */
function remoteAddress({ socket }: IncomingMessage): Address {
  return (socket.remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/, '');
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
