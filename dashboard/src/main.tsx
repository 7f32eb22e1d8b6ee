import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isLoggedOut, keys, mayPass } from './api/index.js';
import { createLive, keepCacheFresh, LiveProvider } from './features/live/index.js';
import { fetchParts, namesOfParts } from './fetch-parts.js';
import { READ_RETRIES } from './limits.js';
import { reloadForNewBuild } from './reload-for-new-build.js';
import { createAppRouter } from './routes/router.js';
import { watchTyping } from './watch-typing.js';
import './styles.css';

/** Wires the page: calls and their cache, the stream that keeps the cache fresh, the views. */
function start(root: HTMLElement): void {
  reloadForNewBuild(watchTyping(document));
  const onError = (error: unknown) => {
    if (isLoggedOut(error)) leave();
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      // A log-in that is refused stays where it is.
      onError: (error, _variables, _context, mutation) => {
        if (mutation.options.meta?.logsIn !== true) onError(error);
      },
    }),
    defaultOptions: {
      queries: {
        // What the stream does not tell to be old is new.
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        // A gateway on this computer answers without a network.
        networkMode: 'always',
        retry: (count, error) => count < READ_RETRIES && mayPass(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
  const router = createAppRouter(queries);
  const live = createLive();

  /** The session is over: what was looked at comes back after the log-in. */
  function leave(): void {
    queries.setQueryData(keys.session, null);
    void router.invalidate();
  }

  keepCacheFresh(live, queries);
  fetchParts(live, namesOfParts(document));
  live.onChange(() => {
    if (live.state().connection.state === 'logged-out' && queries.getQueryData(keys.session))
      leave();
  });
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <LiveProvider value={live}>
          <RouterProvider router={router} />
        </LiveProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element "root".');
start(root);
