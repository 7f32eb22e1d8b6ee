import type { HttpBindings } from '@hono/node-server';
import type { Allow } from '@uncaged/protocol/link';
import { apiLimits, type Log } from '../api/index.js';
import { type NodeService, type NodeServiceInput, openNodeService } from '../service/index.js';
import { createAccess } from './access.js';
import { addressText, hostNames, localUrl } from './address.js';
import { createServeApp } from './create-app.js';
import { createFailures } from './failures.js';
import { type ServeLimits, serveLimits } from './limits.js';
import { type Listener, listen } from './listen.js';
import { readServeToken } from './token.js';

/** Whoever has the token has this machine's user already. */
const ALL: readonly Allow[] = ['read', 'control', 'run', 'publish'];

export type ServingInput = Pick<
  NodeServiceInput,
  'root' | 'name' | 'labels' | 'env' | 'clock' | 'program' | 'apiLimits'
> & {
  host: string;
  /** 0: any that is free. */
  port: number;
  log: Log;
  limits?: Partial<ServeLimits>;
  serviceLimits?: NodeServiceInput['limits'];
};

export type RunningServer = {
  /** `http://127.0.0.1:4810` */
  url: string;
  /** Null when the token came from UWF_SERVE_TOKEN. */
  tokenFile: string | null;
  /** Rejects when it cannot go on: the store is gone, or the server failed. */
  failed: Promise<never>;
  detachedThreads: () => number;
  /** Within about a second. */
  close: () => Promise<void>;
};

/** `uwf serve`. Throws what `listen`, `readServeToken` and `openNodeService` throw; then nothing is left open. */
export async function startServing(input: ServingInput): Promise<RunningServer> {
  const { host, root, env } = input;
  const limits = { ...serveLimits, ...input.limits };
  const app = createLater<Response, HttpBindings>();
  // First, so that a port in use is said before anything is touched; who asks meanwhile waits.
  const listener = await listen(app.fetch, host, input.port, limits);
  let service: NodeService | null = null;
  try {
    service = await openNodeService({
      ...input,
      env,
      allow: ALL,
      // What comes through the app was let through by it.
      authorize: () => ({ role: 'operator', name: 'operator', allow: ALL }),
      limits: input.serviceLimits ?? {},
    });
    const { token, file } = readServeToken(root, env);
    app.open(appFor(input, limits, listener, service, token).fetch);
    return running(input, limits, listener, service, file);
  } catch (error) {
    app.open(() => new Response(null, { status: 503 }));
    await Promise.all([listener.close(0), service?.close()]);
    throw error;
  }
}

function appFor(
  { host, name, labels, clock, log, apiLimits: given }: ServingInput,
  limits: ServeLimits,
  { port }: Listener,
  { api, store }: NodeService,
  token: string,
) {
  return createServeApp({
    api,
    node: { name, labels, allow: ALL },
    access: createAccess({
      token,
      port,
      failures: createFailures(limits, () => performance.now()),
      log,
    }),
    hosts: hostNames(host),
    address: addressText(host, port),
    startedAt: clock(),
    clock,
    bodyMaxBytes: given?.bodyMaxBytes ?? apiLimits.bodyMaxBytes,
    isHealthy: store.isInPlace,
    log,
  });
}

function running(
  { host }: ServingInput,
  { drainMs }: ServeLimits,
  listener: Listener,
  service: NodeService,
  tokenFile: string | null,
): RunningServer {
  const failed = Promise.race([
    listener.failed,
    service.ended.then((problem) => Promise.reject(problem)),
  ]);
  failed.catch(() => undefined);
  return {
    url: localUrl(host, listener.port),
    tokenFile,
    failed,
    detachedThreads: service.detachedThreads,
    close: async () => {
      const closed = listener.close(drainMs);
      // Ends the streams, so that their connections can.
      service.api.close();
      await closed;
      await service.close();
    },
  };
}

/** Answers once it is known how. */
function createLater<Answer, Env>() {
  type Fetch = (request: Request, env: Env) => Answer | Promise<Answer>;
  let open: (fetch: Fetch) => void = () => undefined;
  const opened = new Promise<Fetch>((resolve) => {
    open = resolve;
  });
  return {
    open: (fetch: Fetch) => open(fetch),
    fetch: async (request: Request, env: unknown) => (await opened)(request, env as Env),
  };
}
