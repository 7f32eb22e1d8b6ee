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
import { threadPageSearch } from './thread-page-search.js';
import { ThreadsPage } from './threads-page.js';

type Context = { queries: QueryClient };

const root = createRootRouteWithContext<Context>()({});

/**
 * A view whose code is loaded when it is first shown. The router takes a part that is missing for a new build and loads the
 * page anew, also while nobody answers; whether and when is for `reloadForNewBuild` to say.
 */
function lazyView<Module extends Record<string, unknown>>(
  load: () => Promise<Module>,
  view: keyof Module,
) {
  return lazyRouteComponent(
    () =>
      load().catch((error: unknown) => {
        throw new Error('This part of it could not be fetched.', { cause: error });
      }),
    view,
  );
}

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  // Here and below: the router keeps what is not named, so what is not good is named as undefined.
  validateSearch: (search: Record<string, unknown>): { return?: string | undefined } => {
    const path = safeReturnPath(search.return);
    return { return: path === '/' ? undefined : path };
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
  component: lazyView(() => import('./nodes-page.js'), 'NodesPage'),
});

const node = createRoute({
  getParentRoute: () => inside,
  path: '/nodes/$node',
  component: lazyView(() => import('./node-page.js'), 'NodePage'),
});

const workflows = createRoute({
  getParentRoute: () => inside,
  path: '/nodes/$node/workflows',
  component: lazyView(() => import('./workflows-page.js'), 'WorkflowsPage'),
});

const workflow = createRoute({
  getParentRoute: () => inside,
  path: '/nodes/$node/workflows/$name',
  component: lazyView(() => import('./workflow-page.js'), 'WorkflowPage'),
});

const thread = createRoute({
  getParentRoute: () => inside,
  path: '/nodes/$node/threads/$id',
  validateSearch: threadPageSearch,
  component: lazyView(() => import('./thread-page.js'), 'ThreadPage'),
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
