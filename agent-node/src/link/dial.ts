import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  createSocketTransport,
  LINK_SUBPROTOCOL,
  type LinkClock,
  maxMessageBytes,
  type Transport,
} from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { WebSocket } from 'ws';
import { dialProblem } from './dial-problem.js';
import type { NodeLinkLimits } from './limits.js';
import { refusalOf, refusalOfProxy } from './refusal.js';

export type DialInput = {
  /** Of the gateway, http or https; its path is kept. */
  readonly gateway: string;
  readonly token: string;
  /** The proxy to take for an http(s) URL, '' for none: see `proxyOf`. */
  readonly proxyFor: (url: string) => string;
  readonly limits: NodeLinkLimits;
  readonly clock: LinkClock;
  /** Gives the attempt up. Has no say once the transport is there. */
  readonly signal: AbortSignal;
};

const CONNECT_OK = 200;

/**
 * Opens the WebSocket of a link. Has no time limit of its own: whoever waits aborts the signal. Rejects with `unauthorized` or
 * `forbidden` (the token is refused), `rate-limited`, `unreachable` (everything else that may pass), `invalid-argument` (a
 * proxy that cannot be used) or `cancelled`.
 */
export function dial(input: DialInput): Promise<Transport> {
  const { gateway, token, limits, clock, signal } = input;
  const address = connectAddress(gateway);
  const agent = agentFor(address, input.proxyFor, signal);
  return new Promise((resolve, reject) => {
    const cancelled = () =>
      new Problem('cancelled', 'The attempt to connect was given up.', { cause: signal.reason });
    if (signal.aborted) {
      reject(cancelled());
      return;
    }
    const socket = new WebSocket(address.replace(/^http/, 'ws'), [LINK_SUBPROTOCOL], {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      maxPayload: maxMessageBytes(limits),
      ...(agent === null ? {} : { agent: agent.agent }),
    });
    const abort = () => {
      reject(cancelled());
      socket.terminate();
    };
    signal.addEventListener('abort', abort, { once: true });
    let refused = false;
    let raw: Socket | null = null;
    socket.on('upgrade', (response: IncomingMessage) => {
      raw = response.socket;
    });
    // In the same turn as 'upgrade', and before anything is received.
    socket.on('open', () => {
      signal.removeEventListener('abort', abort);
      if (raw === null) throw new Error('ws opened a socket without an upgrade');
      resolve(createSocketTransport(socket, raw));
    });
    socket.on('unexpected-response', (request: ClientRequest, response: IncomingMessage) => {
      refused = true;
      const proxyStatus = agent?.status() ?? CONNECT_OK;
      const problem =
        agent !== null && proxyStatus !== CONNECT_OK
          ? Promise.resolve(refusalOfProxy(proxyStatus, agent.shown))
          : refusalOf(response, gateway, limits, clock);
      void problem.then(reject, reject).finally(() => {
        signal.removeEventListener('abort', abort);
        request.destroy();
      });
    });
    socket.on('error', (error) => {
      // Of a socket that was refused, the refusal is the reason.
      if (refused) return;
      signal.removeEventListener('abort', abort);
      reject(dialProblem(error, agent === null ? gateway : `${gateway} (by ${agent.shown})`));
    });
  });
}

/** `<gateway>/connect`, whatever path it has. */
function connectAddress(gateway: string): string {
  const url = new URL(gateway);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/connect`;
  return url.href;
}

type ProxyAgent = {
  agent: HttpsProxyAgent<string>;
  /** For people: without its password. */
  shown: string;
  /** What the proxy answered to CONNECT; null before. */
  status: () => number | null;
};

function agentFor(
  address: string,
  proxyFor: DialInput['proxyFor'],
  signal: AbortSignal,
): ProxyAgent | null {
  const proxy = proxyFor(address);
  if (proxy === '') return null;
  const url = URL.canParse(proxy) ? new URL(proxy) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Problem(
      'invalid-argument',
      'The proxy variable for the gateway (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY) is no http:// or https:// URL. Correct it, or name the gateway in NO_PROXY.',
    );
  }
  // The signal ends a connection to a proxy that does not answer; nobody else has hold of it.
  const agent = new HttpsProxyAgent(proxy, { signal });
  let status: number | null = null;
  agent.on('proxyConnect', (answer: { statusCode: number }) => {
    status = answer.statusCode;
  });
  return { agent, shown: url.origin, status: () => status };
}
