import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query';

/**
 * Asks again for everything that matches. An invalidation alone leaves the first answer of a query that is still on its way
 * as it is, and that may have been made before what made it old: such a query is asked again once its answer is there.
 */
export function createRefetch(queries: QueryClient): (filters: QueryFilters) => void {
  const again = new Set<Query>();
  return (filters) => {
    for (const query of queries.getQueryCache().findAll(filters)) {
      const { data, fetchStatus } = query.state;
      if (data !== undefined || fetchStatus === 'idle' || again.has(query)) continue;
      again.add(query);
      const asked = () => {
        again.delete(query);
        void queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
      };
      // Why it failed is shown by who asked.
      query.promise?.then(asked, asked);
    }
    void queries.invalidateQueries(filters);
  };
}
