import { OpenAPIHono } from '@hono/zod-openapi';
import { checkRawPath } from '@uncaged/protocol/http';
import { Problem } from '@uncaged/protocol/problem';
import { type ControlContext, recoverDead, VERSION } from '../executor/index.js';
import { createRegistryReader } from '../registry/index.js';
import { openStore, type Store } from '../store/index.js';
import { mountCas } from './cas.js';
import type { ApiContext, Authorize, Log, NodeIdentity } from './context.js';
import { mountEvents } from './events.js';
import { mountHistory } from './history.js';
import { type ApiLimits, apiLimits } from './limits.js';
import { type ApiEnv, createMount } from './mount.js';
import { mountNode } from './node.js';
import { mountPacks } from './packs.js';
import { problemResponse } from './problem-response.js';
import { createRecovery } from './recovery.js';
import { rawTarget } from './request-line.js';
import { mountSteps } from './steps.js';
import { createTailer } from './stream/tailer.js';
import { mountThreadControl } from './thread-control.js';
import { mountThreads } from './threads.js';
import { whenFree } from './when-free.js';
import { mountWorkflows } from './workflows.js';

export type NodeApiInput = {
  /** Opened with a short `busyTimeoutMs`: while it waits, nobody is served. It stays the caller's. */
  store: Store;
  clock: ControlContext['clock'];
  executor: Pick<ControlContext, 'limits' | 'program'>;
  node: NodeIdentity;
  authorize: Authorize;
  log: Log;
  /** What differs from `apiLimits`. */
  limits?: Partial<ApiLimits>;
};

export type NodeApi = {
  /** Answers a request. `line`: the path as it stood in the request line, which a URL no longer tells. */
  app: OpenAPIHono<ApiEnv>;
  /** How many streams of events are open. */
  followers: () => number;
  /** Ends the streams and what the API opened itself. */
  close: () => void;
};

/**
 * The node's REST API over a store. Whatever serves it hands requests to `app.fetch(request, env)`, where `env` is what
 * @hono/node-server gives, or `{rawPath}`. Throws what `openStore` throws.
 */
export async function createNodeApi(input: NodeApiInput): Promise<NodeApi> {
  const { store, clock, executor, node, authorize, log } = input;
  const limits = { ...apiLimits, ...input.limits };
  const recover = createRecovery(
    () => whenFree(() => recoverDead(store, clock, executor.limits), limits),
    limits.recoverEveryMs,
  );
  const tailer = createTailer({
    store: await openStore(store.root, { clock, readonly: true }),
    lookEveryMs: limits.lookEveryMs,
    onLook: () =>
      void recover().catch((error: unknown) => log('9WTE5PSA', `cannot recover: ${String(error)}`)),
    onError: (error) => log('C0V8HX4F', `cannot follow the store: ${String(error)}`),
  });
  const context: ApiContext = {
    store,
    tailer,
    registry: createRegistryReader(store.root),
    control: { store, clock, ...executor },
    node,
    limits,
    log,
    recover,
    whenFree: (work) => whenFree(work, limits),
  };

  const app = new OpenAPIHono<ApiEnv>();
  app.onError((error, c) => problemResponse(error, log, `${c.req.method} ${c.req.path}`));
  const mount = createMount({ app, authorize, bodyMaxBytes: limits.bodyMaxBytes, log });
  mountNode(mount, context);
  mountWorkflows(mount, context);
  mountThreads(mount, context);
  mountThreadControl(mount, context);
  mountHistory(mount, context);
  mountEvents(mount, context);
  mountSteps(mount, context);
  mountCas(mount, context);
  mountPacks(mount, context);
  serveReference(app, authorize);
  app.notFound((c) => {
    checkRawPath(rawTarget(c.req.raw, c.env));
    throw new Problem(
      'route-not-found',
      `There is no ${c.req.method} ${c.req.path.slice(0, 200)}; /api/openapi.json lists what there is.`,
    );
  });
  return { app, followers: tailer.followers, close: tailer.close };
}

/** Made once, when it is first asked for. */
function serveReference(app: OpenAPIHono<ApiEnv>, authorize: Authorize): void {
  let document: string | null = null;
  app.get('/api/openapi.json', async (c) => {
    checkRawPath(rawTarget(c.req.raw, c.env));
    await authorize(c.req.raw);
    document ??= JSON.stringify(
      app.getOpenAPI31Document({
        openapi: '3.1.0',
        info: {
          title: 'Uncaged Workflow: a node',
          version: VERSION,
          description: 'Threads, workflows and the store of one machine.',
        },
      }),
    );
    return c.body(document, 200, { 'content-type': 'application/json' });
  });
}
