import type { HttpBindings } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import { gatewayRoutes, type Route, routes } from '@uncaged/protocol/api';
import {
  type Answer,
  type Call,
  checkCall,
  openApiPath,
  type Principal,
} from '@uncaged/protocol/http';
import type { Allow } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import type { Identity } from '../auth/index.js';
import { VERSION } from './version.js';

/** Null where a route is asked without a token. */
export type Asker = { principal: Principal; identity: Identity } | null;

/** What the audit is told of a request beside its path, filled in by whoever answers it. */
export type AuditNote = { node: string | null; thread: string | null };

export type OwnEnv = {
  Bindings: HttpBindings & { asker: Asker; address: string; note: AuditNote };
};

type OwnRoute = Route<Allow | null>;

/** A request that was checked against its route; `asker` is null only where the route needs no token. */
export type OwnCall<R extends OwnRoute> = Call<R> & {
  asker: R['allow'] extends null ? Asker : NonNullable<Asker>;
  address: string;
  note: AuditNote;
  request: Request;
  /** Of Node, for what answers by itself. */
  raw: HttpBindings;
};

export type OwnHandler<R extends OwnRoute> = (call: OwnCall<R>) => Answer<R> | Promise<Answer<R>>;
export type MountOwn = <R extends OwnRoute>(route: R, handler: OwnHandler<R>) => void;

/** The body of a log-in, bytes: nobody has shown yet who it is that sends it, so it must not take much memory. */
const LOGIN_MAX_BYTES = 32 * 1024;

/** What the gateway answers itself. Who asks was checked before; here is checked what is asked, and who may read it. */
export function createOwnRoutes(bodyMaxBytes: number): {
  app: OpenAPIHono<OwnEnv>;
  mount: MountOwn;
} {
  const app = new OpenAPIHono<OwnEnv>();
  const mount: MountOwn = (route, handler) => {
    app.on(route.method, route.path, async (c) => {
      const request = c.req.raw;
      const found = {
        request,
        params: c.req.param(),
        queries: c.req.queries(),
        headers: c.req.header(),
      };
      const { asker, address, note, incoming, outgoing } = c.env;
      checkRole(route, asker);
      const maxBytes = route.allow === null ? LOGIN_MAX_BYTES : bodyMaxBytes;
      const checked = await checkCall(route, found, maxBytes);
      const raw = { incoming, outgoing };
      const call = { ...checked, asker, address, note, request, raw } as OwnCall<typeof route>;
      const answer = await handler(call);
      if (answer instanceof Response) return answer;
      return Response.json(answer, {
        status: route.response.status,
        headers: { 'cache-control': 'no-store' },
      });
    });
  };
  serveReference(app);
  app.notFound((c) => {
    throw new Problem(
      'route-not-found',
      `There is no ${c.req.method} ${c.req.path.slice(0, 200)}; /api/openapi.json lists what there is.`,
    );
  });
  return { app, mount };
}

/** Not by method and path, which can be spelled in several ways: some of what only looks is not for viewers. Throws forbidden. */
function checkRole({ method, path, allow }: OwnRoute, asker: Asker): void {
  if (allow === null || allow === 'read' || asker?.principal.role === 'operator') return;
  throw new Problem('forbidden', `${method} ${path} takes the token of an operator.`);
}

/** What concerns one thread is found without naming its node. */
const THREAD_PATH = '/api/threads/:id';

/** The gateway's own routes, and those of nodes at their place here. Made once, when it is first asked for. */
function serveReference(app: OpenAPIHono<OwnEnv>): void {
  let document: string | null = null;
  app.get('/api/openapi.json', (c) => {
    document ??= JSON.stringify(createDocument());
    return c.body(document, 200, { 'content-type': 'application/json' });
  });
}

function createDocument(): object {
  const { openAPIRegistry, getOpenAPI31Document } = new OpenAPIHono();
  for (const route of Object.values(gatewayRoutes))
    openAPIRegistry.registerPath(openApiPath(route));
  for (const route of Object.values(routes) as Route[]) {
    if (route.path.startsWith(THREAD_PATH)) openAPIRegistry.registerPath(openApiPath(route));
    const { params, ...path } = openApiPath(route).request;
    const place = { ...openApiPath(route), request: { ...path, params: atNode(params) } };
    openAPIRegistry.registerPath({
      ...place,
      path: place.path.replace('/api', '/api/nodes/{node}'),
    });
  }
  return getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Uncaged Workflow: a gateway',
      version: VERSION,
      description:
        'Nodes, their threads and their events. What is below /api/threads/{id} goes to the node that has the thread.',
    },
  });
}

function atNode(params: Route['params'] | undefined) {
  const { node } = gatewayRoutes.getMachine.params.shape;
  return (params ?? gatewayRoutes.getMachine.params.omit({ node: true })).extend({ node });
}
