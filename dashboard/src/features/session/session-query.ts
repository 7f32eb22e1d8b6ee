import { queryOptions, useQuery } from '@tanstack/react-query';
import type { SessionJson } from '@uncaged/protocol/api';
import { getSession, keys } from '../../api/index.js';

/** Who is logged in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: ({ signal }) => getSession(signal),
  staleTime: Number.POSITIVE_INFINITY,
});

export function useSession(): SessionJson | null {
  return useQuery(sessionQuery).data ?? null;
}
