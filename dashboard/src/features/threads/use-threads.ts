import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { PlacedThread } from '@uncaged/protocol/api';
import { useMemo } from 'react';
import { keys, listThreads, type ThreadFilters } from '../../api/index.js';
import { useLive } from '../live/index.js';
import { mergeThreads } from './merge-threads.js';

export type Threads = {
  /** Undefined until the first page is there. */
  rows: PlacedThread[] | undefined;
  /** Nodes whose threads are missing. */
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
  const threads = useLive((state) => state.threads);
  const removed = useLive((state) => state.removed);
  const { data, hasNextPage, isFetchingNextPage } = query;
  const rows = useMemo(
    () =>
      data === undefined
        ? undefined
        : mergeThreads(
            data.pages.flatMap(({ items }) => items),
            { threads, removed },
            filters,
            !hasNextPage,
          ),
    [data, threads, removed, filters, hasNextPage],
  );
  const unreachable = useMemo(
    () => [...new Set(data?.pages.flatMap((page) => page.unreachable) ?? [])],
    [data],
  );
  return {
    rows,
    unreachable,
    error: query.error,
    refetch: () => void query.refetch(),
    loadMore: hasNextPage && !isFetchingNextPage ? () => void query.fetchNextPage() : null,
    isLoadingMore: isFetchingNextPage,
  };
}
