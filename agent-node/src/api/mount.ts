import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { problemSchema, type Route } from '@uncaged/protocol/api';
import { Problem } from '@uncaged/protocol/problem';
import type { z } from 'zod';
import { requireAllowed } from './authorization.js';
import type { Authorize, Caller, Log } from './context.js';
import { readJsonBody } from './json-body.js';
import { FAULTS_SHOWN_MAX } from './limits.js';
import { checkRawPath, type RequestLine } from './raw-path.js';

export type ApiEnv = { Bindings: RequestLine };

type Out<T> = T extends z.ZodType ? z.output<T> : null;

/** A request that was checked against its route. */
export type Call<R extends Route> = {
  params: Out<R['params']>;
  query: Out<R['query']>;
  headers: Out<R['headers']>;
  body: R['body'] extends { schema: infer S } ? Out<S> : null;
  caller: Caller;
  request: Request;
};

/** What a handler gives: the JSON that the route promises, or a whole response. */
export type Answer<R extends Route> = R['response'] extends { type: 'json'; schema: infer S }
  ? Out<S> | Response
  : Response;

export type Handler<R extends Route> = (call: Call<R>) => Answer<R> | Promise<Answer<R>>;

export type Mount = <R extends Route>(route: R, handler: Handler<R>) => void;

const MEDIA_TYPES = {
  json: 'application/json',
  events: 'text/event-stream',
  lines: 'application/x-ndjson',
  content: 'text/plain',
} as const;

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
    app.openAPIRegistry.registerPath(describe(route));
    app.on(route.method, route.path, async (c) => {
      const request = c.req.raw;
      checkRawPath(request, c.env);
      const caller = await authorize(request);
      requireAllowed(caller, route);
      if (route.allow !== 'read')
        log(
          'Z4B9HJ6N',
          `${caller.role} ${JSON.stringify(caller.name)} ${route.method} ${c.req.path}`,
        );
      const call = {
        params: check('invalid-id', 'path', route.params, c.req.param()),
        query: check('invalid-argument', 'query', route.query, singles(c.req.queries())),
        headers: check('invalid-argument', 'headers', route.headers, c.req.header()),
        body: await bodyOf(route, request, bodyMaxBytes),
        caller,
        request,
      } as Parameters<typeof handler>[0];
      const answer = await handler(call);
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

async function bodyOf({ method, body }: Route, request: Request, maxBytes: number) {
  if (method !== 'POST') return null;
  const json = await readJsonBody(request, maxBytes);
  if (body === null) return null;
  if (json === undefined && !body.optional)
    throw new Problem('invalid-argument', 'The request has no body; send JSON.');
  return check('invalid-argument', 'body', body.schema, json ?? {});
}

function check(
  code: 'invalid-id' | 'invalid-argument',
  where: string,
  schema: z.ZodType | null,
  value: unknown,
): unknown {
  if (schema === null) return null;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.slice(0, FAULTS_SHOWN_MAX).map(({ path, message }) => ({
    path: [where, ...path.map(String)].join('.').slice(0, 200),
    message: message.slice(0, 200),
  }));
  const first = errors[0];
  throw new Problem(code, `The request is not valid at ${first?.path}: ${first?.message}.`, {
    details: { errors },
  });
}

/** A name given once is its value. */
function singles(queries: Record<string, string[]>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [
      name,
      values.length === 1 ? values[0]! : values,
    ]),
  );
}

function describe({ method, path, summary, allow, params, query, headers, body, response }: Route) {
  const problem = { 'application/problem+json': { schema: problemSchema } };
  return createRoute({
    method: method.toLowerCase() as 'get' | 'post' | 'delete',
    path: path.replaceAll(/:(\w+)/g, '{$1}'),
    summary,
    description: `Needs \`${allow}\`.`,
    tags: [path.split('/')[2] ?? 'api'],
    request: {
      ...(params === null ? {} : { params }),
      ...(query === null ? {} : { query }),
      ...(headers === null ? {} : { headers }),
      ...(body === null
        ? {}
        : {
            body: {
              required: !body.optional,
              content: { 'application/json': { schema: body.schema } },
            },
          }),
    },
    responses: {
      [response.status]: {
        description: 'As asked.',
        content: { [MEDIA_TYPES[response.type]]: { schema: response.schema } },
      },
      default: { description: 'A problem.', content: problem },
    },
  });
}
