import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Route } from '@uncaged/protocol/api';
import {
  type Answer,
  type Call,
  checkCall,
  checkRawPath,
  openApiPath,
} from '@uncaged/protocol/http';
import { requireAllowed } from './authorization.js';
import type { Authorize, Caller, Log } from './context.js';
import { type RequestLine, rawTarget } from './request-line.js';

export type ApiEnv = { Bindings: RequestLine };

/** A request that was checked against its route, and who asks. */
type AskedCall<R extends Route> = Call<R> & { caller: Caller; request: Request };

export type Handler<R extends Route> = (call: AskedCall<R>) => Answer<R> | Promise<Answer<R>>;

export type Mount = <R extends Route>(route: R, handler: Handler<R>) => void;

type MountInput = {
  app: OpenAPIHono<ApiEnv>;
  authorize: Authorize;
  bodyMaxBytes: number;
  log: Log;
};

const NONE = {};

/**
 * Serves lines of the route table: documents them and lets through to the handler only what may be asked and has its form.
 * In this order: the raw path, who asks and whether that one may, ids, query, headers, body.
 */
export function createMount({ app, authorize, bodyMaxBytes, log }: MountInput): Mount {
  return (route, handler) => {
    app.openAPIRegistry.registerPath(openApiPath(route));
    app.on(route.method, route.path, async (c) => {
      const request = c.req.raw;
      checkRawPath(rawTarget(request, c.env));
      const asked = authorize(request);
      const caller = asked instanceof Promise ? await asked : asked;
      requireAllowed(caller, route);
      if (route.allow !== 'read')
        log(
          'Z4B9HJ6N',
          `${caller.role} ${JSON.stringify(caller.name)} ${route.method} ${c.req.path}`,
        );
      // Hono collects these anew for each request: only where the route looks at them.
      const found = {
        request,
        params: c.req.param(),
        queries: route.query === null ? NONE : c.req.queries(),
        headers: route.headers === null ? NONE : c.req.header(),
      };
      const call = await checkCall(route, found, bodyMaxBytes);
      const answer = await handler({ ...call, caller, request });
      const response =
        answer instanceof Response ? answer : jsonOf(answer, route.response.status, c.env);
      // A body that nobody will read would never learn that it is over.
      if (request.method === 'HEAD') await response.body?.cancel();
      return response;
    });
  };
}

function jsonOf(answer: unknown, status: number, line: RequestLine | undefined): Response {
  if (line?.jsonResponse !== undefined)
    return line.jsonResponse(JSON.stringify(answer), status, [['cache-control', 'no-store']]);
  return Response.json(answer, { status, headers: { 'cache-control': 'no-store' } });
}
