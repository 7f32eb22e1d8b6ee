import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { PAGE_HEADERS, pageCaching } from '@uncaged/protocol/http';
import { Problem } from '@uncaged/protocol/problem';
import { Hono } from 'hono';

const FILE = /\.[a-z0-9]+$/i;

/**
 * Serves the built dashboard from `root`, to anybody: there is nothing in it that is not public. An address that is none of its
 * files is one of its views, and gets the page. `onError` answers with a problem.
 */
export function createPage(
  root: string,
  onError: (error: Error) => Response,
): (request: IncomingMessage, response: ServerResponse) => unknown {
  const app = new Hono();
  app.onError(onError);
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(PAGE_HEADERS)) c.res.headers.set(name, value);
    c.res.headers.set('cache-control', c.res.ok ? pageCaching(c.req.path) : 'no-store');
  });
  app.get('*', serveStatic({ root, precompressed: true }));
  app.get('*', async (c, next) => {
    if (FILE.test(c.req.path)) return next();
    return serveStatic({ root, path: 'index.html', precompressed: true })(c, next);
  });
  app.notFound((c) => {
    if (existsSync(join(root, 'index.html')))
      throw new Problem('route-not-found', `There is no ${c.req.path.slice(0, 200)}.`);
    throw new Problem(
      'route-not-found',
      'The dashboard is not built; `npm run build` in the repository builds it. The API is at /api/.',
    );
  });
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}
