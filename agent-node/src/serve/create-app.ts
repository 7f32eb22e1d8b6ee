import { Problem } from '@uncaged/protocol/problem';
import { Hono } from 'hono';
import { problemResponse } from '../api/index.js';
import type { ServeEnv, Serving } from './context.js';
import { checkAccess, checkPlace, securityHeaders } from './guard.js';
import { mountMachines } from './machines.js';
import { mountMerged } from './merged.js';
import { toNode } from './node-app.js';
import { mountPage } from './page.js';
import { mountSession } from './session.js';

const UNAVAILABLE = 503;

/** Around the node's own API: who may ask, and what a dashboard needs of a gateway. */
export function createServeApp(serving: Serving): Hono<ServeEnv> {
  const { log, isHealthy } = serving;
  const app = new Hono<ServeEnv>();
  app.onError((error, c) => problemResponse(error, log, `${c.req.method} ${c.req.path}`));
  app.use(securityHeaders);
  app.use(checkPlace(serving));
  app.get('/healthz', (c) =>
    isHealthy() ? c.text('ok') : c.text('the store is gone', UNAVAILABLE),
  );
  app.use('/api/*', checkAccess(serving));
  mountSession(app, serving);
  mountMachines(app, serving);
  mountMerged(app, serving);
  // Everything else is the node's, also what it does not know.
  app.all('/api/*', (c) => toNode(serving, c));
  mountPage(app);
  app.notFound((c) => {
    throw new Problem(
      'route-not-found',
      `There is no ${c.req.method} ${c.req.path.slice(0, 200)}; the API begins with /api/.`,
    );
  });
  return app;
}
