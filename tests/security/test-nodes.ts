import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import {
  connectLink,
  createSocketTransport,
  createSystemClock,
  type Goaway,
  LINK_LIMITS,
  LINK_SUBPROTOCOL,
  type LinkEnd,
  type Mux,
  type RequestHandler,
} from '@uncaged/protocol/link';
import { type ClientOptions, WebSocket } from 'ws';
import type { TestGateway } from '../support/gateway.js';

type Where = Pick<TestGateway, 'port' | 'key'>;

export function openSocket(
  port: number,
  options: ClientOptions,
  protocols: string | string[] = LINK_SUBPROTOCOL,
): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/connect`, protocols, {
    perMessageDeflate: false,
    ...options,
  });
  socket.on('error', () => undefined); // what became of it shows in what the test looks at
  return socket;
}

export const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

export type DialledNode = {
  mux: Mux;
  goaways: Goaway[];
  ended: () => LinkEnd | null;
  close: () => void;
};

/** A node that keeps to the link, and answers what it likes. */
export async function dialNode(
  gateway: Where,
  { name, token = gateway.key }: { name: string; token?: string },
  onRequest: RequestHandler,
): Promise<DialledNode> {
  const socket = openSocket(gateway.port, bearer(token));
  const upgraded = once(socket, 'upgrade') as Promise<[IncomingMessage]>;
  const opened = once(socket, 'open');
  const [response] = await upgraded;
  const transport = createSocketTransport(socket, response.socket);
  await opened;
  const goaways: Goaway[] = [];
  let end: LinkEnd | null = null;
  const { mux } = await connectLink({
    transport,
    clock: createSystemClock(),
    limits: LINK_LIMITS,
    hello: {
      node: name,
      instance: `instance-of-${name}`,
      version: '1.0.0',
      labels: {},
      allow: ['read', 'control', 'run', 'publish'],
    },
    onRequest,
    onError: () => undefined, // a handler that was called off
    onClose: (how) => {
      end = how;
    },
    onGoaway: (goaway) => goaways.push(goaway),
  });
  return {
    mux,
    goaways,
    ended: () => end,
    close: () => mux.close('shutdown', 'the test is over'),
  };
}

const FRAME = { hello: 1, welcome: 2, ping: 3, pong: 4, request: 0x10, response: 0x11, data: 0x12 };
export const RESPONSE = FRAME.response;
export const DATA = FRAME.data;
export const END = 0x13;
const HEAD_BYTES = 5;

export type RawNode = {
  socket: WebSocket;
  /** A frame of bytes, or of JSON. */
  send: (type: number, stream: number, payload: Uint8Array | object) => void;
};

/** A node that only says HELLO as it should; what it answers to a request (its stream) is its own. */
export async function dialRawNode(
  gateway: Where,
  name: string,
  onRequest: (stream: number, path: string, node: RawNode) => void,
): Promise<RawNode> {
  const socket = openSocket(gateway.port, bearer(gateway.key));
  const node: RawNode = {
    socket,
    send(type, stream, payload) {
      const bytes = payload instanceof Uint8Array ? payload : Buffer.from(JSON.stringify(payload));
      const head = Buffer.alloc(HEAD_BYTES);
      head.writeUInt8(type, 0);
      head.writeUInt32BE(stream, 1);
      socket.send(Buffer.concat([head, bytes]));
    },
  };
  await once(socket, 'open');
  const hello = { protocols: [1], node: name, instance: `raw-${name}`, version: '1.0.0' };
  const welcomed = new Promise<void>((resolve, reject) => {
    socket.on('close', () => reject(new Error(`${name} was not welcomed`)));
    socket.on('message', (data: Buffer) => {
      const type = data.readUInt8(0);
      const stream = data.readUInt32BE(1);
      const payload = data.subarray(HEAD_BYTES);
      if (type === FRAME.welcome) resolve();
      else if (type === FRAME.ping) node.send(FRAME.pong, 0, payload);
      else if (type === FRAME.request)
        onRequest(stream, (JSON.parse(payload.toString()) as { path: string }).path, node);
    });
  });
  node.send(FRAME.hello, 0, { ...hello, labels: {}, allow: ['read', 'run'] });
  await welcomed;
  return node;
}
