import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { routes } from '@uncaged/protocol/api';
import { Problem } from '@uncaged/protocol/problem';
import { addressText } from './address.js';
import type { ServeLimits } from './limits.js';
import { watchRequests } from './request-watch.js';

export type Listener = {
  port: number;
  /** Rejects when the server fails later on. */
  failed: Promise<never>;
  /** Takes no more connections; what is open may end within `drainMs`, then it is cut. */
  close: (drainMs: number) => Promise<void>;
};

/** Throws in-use, forbidden (a port below 1024), invalid-argument (an address that is not this machine's). */
export async function listen(
  fetch: Parameters<typeof createAdaptorServer>[0]['fetch'],
  host: string,
  port: number,
  limits: ServeLimits,
): Promise<Listener> {
  const server = createAdaptorServer({
    fetch,
    hostname: host,
    serverOptions: {
      headersTimeout: limits.headersTimeoutMs,
      // Of bodies: see `watchRequests`.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.connectionsCheckMs,
    },
  }) as Server;
  watchRequests(server, limits, isUpload);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenProblem(error as NodeJS.ErrnoException, host, port);
  }
  const failed = new Promise<never>((_, reject) => server.once('error', reject));
  // Whoever waits for it hears of it; that nobody does is no failure of its own.
  failed.catch(() => undefined);
  return {
    port: (server.address() as AddressInfo).port,
    failed,
    close: (drainMs) => closeServer(server, drainMs),
  };
}

const UPLOAD_TYPES: ReadonlySet<string | null> = new Set(
  Object.values(routes).flatMap(({ upload }) => (upload === null ? [] : [upload])),
);

/** By its media type: a route that takes no such body answers at once. */
function isUpload({ headers }: IncomingMessage): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return UPLOAD_TYPES.has(type.trim().toLowerCase());
}

async function closeServer(server: Server, drainMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(cut);
}

function listenProblem(error: NodeJS.ErrnoException, host: string, port: number): unknown {
  const address = addressText(host, port);
  switch (error.code) {
    case 'EADDRINUSE':
      return new Problem(
        'in-use',
        `Something else listens on ${address} already. Choose another port with --port, or --port 0 for any that is free.`,
        { cause: error },
      );
    case 'EACCES':
      return new Problem(
        'forbidden',
        `This user may not listen on ${address}. Choose a port above 1023 with --port.`,
        { cause: error },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new Problem(
        'invalid-argument',
        `--host ${JSON.stringify(host.slice(0, 100))} is not an address of this machine.`,
        { cause: error },
      );
    default:
      return error;
  }
}
