import { getConnInfo } from '@hono/node-server/conninfo';
import { checkRawPath, createHostCheck } from '@uncaged/protocol/http';
import type { MiddlewareHandler } from 'hono';
import { rawTarget } from '../api/index.js';
import type { ServeContext, ServeEnv, Serving } from './context.js';

/** On every answer, whatever it is. There are no CORS headers: no other site's page may read anything. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

export const securityHeaders: MiddlewareHandler<ServeEnv> = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
};

/** In this order, before anything else looks at a request: where it was sent to and from which page, and its raw path. */
export function checkPlace({ hosts }: Serving): MiddlewareHandler<ServeEnv> {
  const check = createHostCheck(hosts, []);
  return async (c, next) => {
    check({ host: c.req.header('host'), origin: c.req.header('origin') });
    checkRawPath(rawTarget(c.req.raw, c.env));
    await next();
  };
}

/** Who asks: needed for all of the API but logging in and out. */
export function checkAccess({ access }: Serving): MiddlewareHandler<ServeEnv> {
  return async (c, next) => {
    const isLogging = c.req.path === '/api/session' && /^(POST|DELETE)$/.test(c.req.method);
    if (!isLogging)
      access.check({
        method: c.req.method,
        authorization: c.req.header('authorization'),
        cookie: c.req.header('cookie'),
        origin: c.req.header('origin'),
        address: addressOf(c),
      });
    await next();
  };
}

export function addressOf(c: ServeContext): string {
  return getConnInfo(c).remote.address ?? 'an unknown address';
}
