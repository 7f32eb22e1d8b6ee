import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuditRecord } from '@uncaged/protocol/api';
import { createHostCheck } from '@uncaged/protocol/http';
import {
  connectLink,
  createSocketTransport,
  createSystemClock,
  type Goaway,
  type Hello,
  LINK_LIMITS,
  LINK_SUBPROTOCOL,
  type LinkEnd,
  type LinkLimits,
  type Mux,
  type Transport,
  type Welcome,
} from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import { WebSocket } from 'ws';
import type { Identity } from '../auth/index.js';
import type { KnownNode } from '../directory/index.js';
import { createLinks, type LinkChange, type Links, type LinksOptions } from './index.js';

/** Long enough for a loaded machine, short enough for a test: nothing waits for these unless it should. */
const LIMITS = {
  link: { ...LINK_LIMITS, heartbeatMs: 5_000, silenceMs: 20_000, handshakeMs: 5_000 },
  probeMs: 3_000,
  handshakesMax: 64,
  drainMs: 300,
};

export type TestGateway = {
  readonly port: number;
  readonly links: Links;
  readonly changes: LinkChange[];
  readonly audit: Omit<AuditRecord, 'at'>[];
  readonly logged: string[];
  readonly states: Map<string, KnownNode['state']>;
  /** Token → whom it stands for. `key` is the gateway's. */
  readonly tokens: Map<string, Identity>;
  /** Requests for whose token was asked. */
  asked(): number;
  /** While it stands, nobody is identified. */
  hold(): () => void;
  revoke(token: string): void;
  /** Connections of the server that are open, those that were upgraded too. */
  connections(): Promise<number>;
  close(): Promise<void>;
};

export function nodeIdentity(name: string, expiresAt: number | null = null): Identity {
  return { role: 'node', name, tokenId: `id-${name}`, expiresAt, by: 'bearer' };
}

export async function openGateway(
  changed: {
    limits?: Partial<Omit<LinksOptions['limits'], 'link'>> & { link?: Partial<LinkLimits> };
    protocols?: readonly number[];
  } = {},
): Promise<TestGateway> {
  const tokens = new Map<string, Identity>([
    ['key', { role: 'operator', name: 'key', tokenId: null, expiresAt: null, by: 'bearer' }],
    ['build-1-token', nodeIdentity('build-1')],
    ['viewer-token', { ...nodeIdentity('anna'), role: 'viewer' }],
    ['operator-token', { ...nodeIdentity('otto'), role: 'operator' }],
  ]);
  const revokedListeners = new Set<() => void>();
  const states: TestGateway['states'] = new Map();
  const audit: TestGateway['audit'] = [];
  const logged: string[] = [];
  let asked = 0;
  let held: Promise<void> = Promise.resolve();

  const links = createLinks({
    auth: {
      async identify({ headers }: IncomingMessage) {
        asked += 1;
        await held;
        const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
        const identity = tokens.get(token);
        if (identity === undefined) throw new Problem('unauthorized', 'Not a token of ours.');
        return identity;
      },
      isValid: (identity) => [...tokens.values()].includes(identity),
      onRevoked(listener) {
        revokedListeners.add(listener);
        return () => revokedListeners.delete(listener);
      },
    },
    directory: { setState: (hello, state) => void states.set(hello.node, state) },
    checkHost: createHostCheck([], []),
    limits: { ...LIMITS, ...changed.limits, link: { ...LIMITS.link, ...changed.limits?.link } },
    gateway: 'gw',
    clock: createSystemClock(),
    now: Date.now,
    log: (tag, text) => void logged.push(`${tag} ${text}`),
    audit: { record: (record) => void audit.push(record) },
    random: () => 0.5,
    ...(changed.protocols === undefined ? {} : { protocols: changed.protocols }),
  });
  const changes: LinkChange[] = [];
  links.onChange((change) => changes.push(change));

  const server = createServer();
  server.on('upgrade', links.upgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connections = () =>
    new Promise<number>((resolve, reject) => {
      server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    });
  return {
    port: (server.address() as AddressInfo).port,
    links,
    changes,
    audit,
    logged,
    states,
    tokens,
    asked: () => asked,
    hold() {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    revoke(token) {
      tokens.delete(token);
      for (const listener of revokedListeners) listener();
    },
    connections,
    async close() {
      await links.close(LIMITS.drainMs);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type Refused = { status: number; headers: Record<string, unknown>; problem: unknown };

/** Asks for an upgrade as a WebSocket client does; resolves with the answer that refuses it. */
export async function refusedUpgrade(
  port: number,
  headers: Record<string, string> = {},
  path = '/connect',
): Promise<Refused> {
  const asked = request({
    port,
    host: '127.0.0.1',
    path,
    agent: false,
    headers: {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': LINK_SUBPROTOCOL,
      authorization: 'Bearer build-1-token',
      ...headers,
    },
  });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const problem = JSON.parse(Buffer.concat(chunks).toString());
  return { status: response.statusCode ?? 0, headers: response.headers, problem };
}

export type TestNode = {
  readonly mux: Mux;
  readonly welcome: Welcome;
  readonly goaways: readonly Goaway[];
  ended(): LinkEnd | null;
};

export type DialOptions = {
  token?: string | null;
  headers?: Record<string, string>;
  hello?: Partial<Hello>;
  /** Of the node's program: when it answers a request. */
  answer?: Promise<unknown>;
};

/** A node that connects; rejects with the problem that its end makes of a refusal, or with that of the upgrade. */
export async function dial(port: number, options: DialOptions = {}): Promise<TestNode> {
  const { token = 'build-1-token', headers = {} } = options;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/connect`, LINK_SUBPROTOCOL, {
    perMessageDeflate: false,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
  });
  // Both come in one turn.
  const upgraded = new Promise<Transport>((resolve, reject) => {
    socket.on('upgrade', (response) => resolve(createSocketTransport(socket, response.socket)));
    socket.on('error', reject);
  });
  const open = new Promise<void>((resolve) => socket.on('open', resolve));
  const opened = Promise.all([upgraded, open]).then(([transport]) => transport);
  const goaways: Goaway[] = [];
  let end: LinkEnd | null = null;
  const { mux, welcome } = await connectLink({
    transport: opened,
    clock: createSystemClock(),
    limits: LINK_LIMITS,
    hello: {
      node: 'build-1',
      instance: `instance-${Math.random()}`,
      version: '1.0.0',
      labels: { os: 'linux' },
      allow: ['read'],
      ...options.hello,
    },
    async onRequest(_request, respond) {
      await options.answer;
      respond({ status: 200, headers: [], end: true });
    },
    onError: () => undefined,
    onClose: (how) => {
      end = how;
    },
    onGoaway: (goaway) => goaways.push(goaway),
  });
  return { mux, welcome, goaways, ended: () => end };
}
