import { once } from 'node:events';
import { createServer as createHttpServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { distDir } from '@uncaged/dashboard';
import { gatewayRoutes } from '@uncaged/protocol/api';
import { createHostCheck } from '@uncaged/protocol/http';
import { createSystemClock } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import { createAudit } from '../audit/index.js';
import { createAuth, type GatewayKey, makeDirectory } from '../auth/index.js';
import { createDirectory } from '../directory/index.js';
import { createEventHub } from '../events/index.js';
import type { GatewayLimits } from '../limits.js';
import { createLinks } from '../links/index.js';
import { lockDirectory } from '../lock/index.js';
import type { Log } from '../log.js';
import { createMergedThreads, createStarter, createThreadHosts } from '../proxy/index.js';
import { openStartMemory } from '../starts/index.js';
import { createPage } from '../static/index.js';
import { clientAddress } from './client-address.js';
import { createRequestHandler } from './handle-request.js';
import { createMetrics } from './metrics.js';
import { mountNodes } from './node-routes.js';
import { createOpenAnswers } from './open-answers.js';
import { createOwnRoutes, type OwnEnv } from './own-routes.js';
import { problemResponse, sendProblem, toProblem } from './send-problem.js';
import { mountSession } from './session-routes.js';
import { mountThreads } from './thread-routes.js';

export type GatewayInput = {
  host: string;
  /** 0: a free one. */
  port: number;
  /** Where the gateway keeps what it knows; made when it is missing. One gateway at a time. */
  dataDir: string;
  key: GatewayKey;
  /** PEM texts; null: plain HTTP. */
  tls: { cert: string; key: string } | null;
  /** How browsers reach it, when a proxy stands in front. */
  publicUrl: URL | null;
  trustProxy: boolean;
  limits: GatewayLimits;
  log: Log;
};

export type Gateway = {
  /** As it can be reached from this machine. */
  url: string;
  /** Says good-bye to nodes and clients, waits for what is under way (at most `drainMs`) and ends the rest. */
  close: () => Promise<void>;
};

/** Puts a gateway together and starts it. Throws in-use (port, data), invalid-argument (address), and what its data may be bad for. */
export async function startGateway(input: GatewayInput): Promise<Gateway> {
  const { dataDir, limits, log } = input;
  const now = Date.now;
  const clock = createSystemClock();
  await makeDirectory(dataDir);
  const lock = await lockDirectory(dataDir);
  const server = createServer(input);
  await listen(server, input);
  const { port } = server.address() as AddressInfo;
  const url = urlOf(input, port);
  const gateway = new URL(url).host;

  let isClosing = false;
  const checkHost = createHostCheck(
    [input.host, ...(input.publicUrl === null ? [] : [input.publicUrl.hostname])],
    input.publicUrl === null ? [] : [input.publicUrl.origin],
  );
  const secure = input.tls !== null || input.publicUrl?.protocol === 'https:';
  const auth = await createAuth({ dataDir, key: input.key, port, secure, limits, clock: now, log });
  const audit = createAudit({ file: join(dataDir, 'audit.jsonl'), clock: now, log });
  const directory = await createDirectory({ file: join(dataDir, 'nodes.json'), gateway, now, log });
  const links = createLinks({
    ...{ auth, checkHost, limits, gateway, clock, now, log, audit },
    directory: {
      setState: (hello, state) => {
        directory.setState(hello, state);
        // No link comes of it that the hub could hear of.
        if (state === 'update-needed') hub.nodeChanged(hello.node);
      },
    },
    addressOf: (request) => clientAddress(request, input.trustProxy),
  });
  const threadHosts = createThreadHosts({ links, directory, limits, now });
  const hub = createEventHub({
    links,
    directory,
    limits,
    clock,
    now,
    log,
    hostOf: threadHosts.hostOf,
  });
  auth.onRevoked(hub.recheck);
  const openAnswers = createOpenAnswers(auth.isValid, limits.revocationLookMs);
  auth.onRevoked(openAnswers.recheck);
  const starts = await openStartMemory(join(dataDir, 'starts.jsonl'), now);
  const metrics = createMetrics({ links, hub });

  const { app, mount } = createOwnRoutes(limits.bodyMaxBytes);
  app.onError((error, c) => {
    const failure = isClientGone(error) ? clientGone(error) : error;
    const what = `${c.req.method} ${c.req.path}`;
    if (c.env.incoming.complete) return problemResponse(failure, log, what);
    sendProblem(c.env.outgoing as ServerResponse, toProblem(failure, log, what));
    return RESPONSE_ALREADY_SENT;
  });
  mountSession(mount, { auth, audit });
  mountNodes(mount, { directory, links, hub });
  mountThreads(mount, {
    auth,
    hub,
    threads: createMergedThreads({ links, directory, limits }),
    starter: createStarter({ links, directory, limits, starts }),
  });
  mount(gatewayRoutes.listAudit, ({ query }) => audit.page(query));

  const handler = createRequestHandler({
    checkHost,
    auth,
    audit,
    links,
    directory,
    threadHosts,
    metrics,
    openAnswers,
    own: (request, response, asker, address, note) =>
      ownListener(app.fetch, { asker, address, note })(request, response),
    page: createPage(distDir, (error) => problemResponse(error, log, 'the page')),
    limits,
    log,
    trustProxy: input.trustProxy,
    isClosing: () => isClosing,
  });
  server.removeAllListeners('request');
  server.on('request', handler);
  server.on('upgrade', (request, socket, head) => links.upgrade(request, socket, head));

  return {
    url,
    async close() {
      if (isClosing) return;
      isClosing = true;
      server.close();
      hub.close();
      server.closeIdleConnections();
      await links.close(limits.drainMs);
      server.closeAllConnections();
      openAnswers.close();
      auth.close();
      await Promise.all([audit.close(), directory.close()]);
      await lock.release();
    },
  };
}

type Fetch = (request: Request, env: OwnEnv['Bindings']) => unknown;
type Known = Omit<OwnEnv['Bindings'], keyof HttpBindings>;

function ownListener(fetch: Fetch, known: Known) {
  return getRequestListener(
    (request, env) => fetch(request, { ...(env as HttpBindings), ...known }) as Response,
    { overrideGlobalObjects: false },
  );
}

/** What reading a body ends with when its sender leaves: as often as somebody likes, and no fault of the gateway. */
function isClientGone({ name, code }: NodeJS.ErrnoException): boolean {
  return name === 'AbortError' || code === 'ECONNRESET';
}

function clientGone(cause: Error): Problem {
  return new Problem('cancelled', 'The client left before all of its request was there.', {
    cause,
  });
}

function createServer({ tls, limits }: GatewayInput): Server {
  // The body of an upload may take as long as it likes while it moves: the link watches that it does.
  const options = {
    requestTimeout: 0,
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: limits.connectionsCheckMs,
  };
  const server =
    tls === null ? createHttpServer(options) : createHttpsServer({ ...options, ...tls });
  // Until everything is there.
  server.on('request', (_, response) =>
    sendProblem(
      response,
      new Problem('unreachable', 'The gateway is starting; try again in a moment.'),
    ),
  );
  return server;
}

async function listen(server: Server, { host, port }: GatewayInput): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const cause = { cause: error };
    if (code === 'EADDRINUSE')
      throw new Problem(
        'in-use',
        `Port ${port} of ${host} is taken; choose another one with --port, or 0 for a free one.`,
        cause,
      );
    if (code === 'EACCES')
      throw new Problem(
        'forbidden',
        `Port ${port} of ${host} may not be used by this user; choose one above 1023 with --port.`,
        cause,
      );
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new Problem(
        'invalid-argument',
        `${host} is no address of this machine; choose another one with --host.`,
        cause,
      );
    throw error;
  }
}

function urlOf({ host, tls }: GatewayInput, port: number): string {
  const name =
    host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${tls === null ? 'http' : 'https'}://${name}:${port}`;
}
