import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { PlacedThread } from '@uncaged/protocol/api';
import { useMemo } from 'react';
import { keys, listThreads, mayPass, type ThreadFilters } from '../../api/index.js';
import { useLive } from '../live/index.js';
import { useLastSeen } from './last-seen.js';
import { mergeThreads } from './merge-threads.js';

export type Threads = {
  /** Undefined until the first page is there. */
  rows: PlacedThread[] | undefined;
  /** Nodes that did not answer: of their threads only what was seen last is here. */
  unreachable: string[];
  error: unknown;
  refetch: () => void;
  /** Null: there is nothing further. */
  loadMore: (() => void) | null;
  isLoadingMore: boolean;
};

/** Threads of all nodes that match, newest first, page by page, as new as the stream. */
export function useThreads(filters: ThreadFilters): Threads {
  const query = useInfiniteQuery({
    queryKey: keys.list(filters),
    queryFn: ({ pageParam, signal }) => listThreads(filters, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  const { data, error, hasNextPage, isFetchingNextPage } = query;
  const unreachable = useMemo(
    () => unreachableOf(data?.pages ?? [], filters.node, error),
    [data, filters.node, error],
  );
  const lastSeen = useLastSeen(unreachable);
  const live = useLive((state) => state.threads);
  const removed = useLive((state) => state.removed);
  const rows = useMemo(() => {
    // A list of one node that is away is what was seen of it, if that is anything.
    if (data === undefined && Object.keys(lastSeen).length === 0) return undefined;
    const loaded = data?.pages.flatMap(({ items }) => items) ?? [];
    const told = { threads: { ...lastSeen, ...live }, removed };
    return mergeThreads(loaded, told, filters, !hasNextPage);
  }, [data, lastSeen, live, removed, filters, hasNextPage]);
  return {
    rows,
    unreachable,
    error,
    refetch: () => void query.refetch(),
    loadMore: hasNextPage && !isFetchingNextPage ? () => void query.fetchNextPage() : null,
    isLoadingMore: isFetchingNextPage,
  };
}

function unreachableOf(
  pages: readonly { unreachable: string[] }[],
  node: string,
  error: unknown,
): string[] {
  const named = pages.flatMap(({ unreachable }) => unreachable);
  if (node !== '' && mayPass(error)) named.push(node);
  return [...new Set(named)];
}
