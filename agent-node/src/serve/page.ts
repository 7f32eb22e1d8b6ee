import { serveStatic } from '@hono/node-server/serve-static';
import { distDir } from '@uncaged/dashboard';
import { PAGE_HEADERS, pageCaching } from '@uncaged/protocol/http';
import type { Hono } from 'hono';
import type { ServeEnv } from './context.js';

const FILE = /\.[a-z0-9]+$/i;

/** The dashboard's files, to anybody who may ask this server at all; an address that is none of them is one of its views. */
export function mountPage(app: Hono<ServeEnv>): void {
  app.get('*', async (c, next) => {
    await next();
    if (!c.res.ok) return;
    for (const [name, value] of Object.entries(PAGE_HEADERS)) c.res.headers.set(name, value);
    c.res.headers.set('cache-control', pageCaching(c.req.path));
  });
  app.get('*', serveStatic({ root: distDir, precompressed: true }));
  app.get('*', async (c, next) => {
    if (FILE.test(c.req.path)) return next();
    return serveStatic({ root: distDir, path: 'index.html', precompressed: true })(c, next);
  });
}
