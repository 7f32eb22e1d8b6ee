import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { safeReturnPath, sessionQuery } from '../features/session/index.js';
import { filtersOf, searchOf, type ThreadSearch } from '../features/threads/index.js';
import { BrokenPage, MissingPage, PendingPage } from './fallback-pages.js';
import { HomePage } from './home-page.js';
import { LoginPage } from './login-page.js';
import { Shell } from './shell.js';
import { ThreadsPage } from './threads-page.js';

type Context = { queries: QueryClient };

const root = createRootRouteWithContext<Context>()({});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Record<string, unknown>): { return?: string } => {
    const path = safeReturnPath(search.return);
    return path === '/' ? {} : { return: path };
  },
  component: LoginPage,
});

/** Everything that only somebody who is logged in sees. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: async ({ context: { queries }, location }) => {
    const session = await queries.ensureQueryData(sessionQuery);
    if (session !== null) return;
    const path = safeReturnPath(location.href);
    throw redirect({ to: '/login', search: path === '/' ? {} : { return: path } });
  },
});

const home = createRoute({ getParentRoute: () => inside, path: '/', component: HomePage });

const threads = createRoute({
  getParentRoute: () => inside,
  path: '/threads',
  validateSearch: (search: Record<string, unknown>): ThreadSearch => searchOf(filtersOf(search)),
  component: ThreadsPage,
});

const nodes = createRoute({
  getParentRoute: () => inside,
  path: '/nodes',
  component: lazyRouteComponent(() => import('./nodes-page.js'), 'NodesPage'),
});

const node = createRoute({
  getParentRoute: () => inside,
  path: '/nodes/$node',
  component: lazyRouteComponent(() => import('./node-page.js'), 'NodePage'),
});

const workflows = createRoute({
  getParentRoute: () => inside,
  path: '/nodes/$node/workflows',
  component: lazyRouteComponent(() => import('./workflows-page.js'), 'WorkflowsPage'),
});

const workflow = createRoute({
  getParentRoute: () => inside,
  path: '/nodes/$node/workflows/$name',
  component: lazyRouteComponent(() => import('./workflow-page.js'), 'WorkflowPage'),
});

const thread = createRoute({
  getParentRoute: () => inside,
  path: '/nodes/$node/threads/$id',
  validateSearch: (search: Record<string, unknown>): { tab?: 'log'; step?: number } => ({
    ...(search.tab === 'log' ? { tab: 'log' } : {}),
    ...(Number.isInteger(search.step) && Number(search.step) > 0
      ? { step: Number(search.step) }
      : {}),
  }),
  component: lazyRouteComponent(() => import('./thread-page.js'), 'ThreadPage'),
});

const tree = root.addChildren([
  login,
  inside.addChildren([home, threads, nodes, node, workflows, workflow, thread]),
]);

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    defaultPreload: false,
    scrollRestoration: true,
    defaultPendingComponent: PendingPage,
    defaultErrorComponent: BrokenPage,
    defaultNotFoundComponent: MissingPage,
  });
}

declare module '@tanstack/react-router' {
  // The router learns its routes by adding to its own interface, which a type cannot do.
  // biome-ignore lint/style/useConsistentTypeDefinitions: an interface of the router
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
