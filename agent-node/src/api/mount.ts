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
      const caller = await authorize(request);
      requireAllowed(caller, route);
      if (route.allow !== 'read')
        log(
          'Z4B9HJ6N',
          `${caller.role} ${JSON.stringify(caller.name)} ${route.method} ${c.req.path}`,
        );
      const found = {
        request,
        params: c.req.param(),
        queries: c.req.queries(),
        headers: c.req.header(),
      };
      const call = await checkCall(route, found, bodyMaxBytes);
      const answer = await handler({ ...call, caller, request });
      const response =
        answer instanceof Response
          ? answer
          : Response.json(answer, {
              status: route.response.status,
              headers: { 'cache-control': 'no-store' },
            });
      // A body that nobody will read would never learn that it is over.
      if (request.method === 'HEAD') await response.body?.cancel();
      return response;
    });
  };
}
