import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { StepJson } from '@uncaged/protocol/api';
import { useMemo } from 'react';
import { getLog, getThread, keys, listSteps } from '../../api/index.js';
import { type LoadedPage, loadSteps } from './load-steps.js';

export function useThread(node: string, id: string) {
  return useQuery({
    queryKey: keys.thread(node, id),
    queryFn: ({ signal }) => getThread(node, id, signal),
  });
}

/** Every step so far; the first pages are there before the last. */
export function useSteps(node: string, id: string) {
  const queries = useQueryClient();
  const key = keys.steps(node, id);
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      loadSteps(
        queries.getQueryData<LoadedPage[]>(key) ?? [],
        (cursor) => listSteps(node, id, cursor, signal),
        (pages) => queries.setQueryData(key, pages),
      ),
  });
  const { data } = query;
  const steps = useMemo<StepJson[] | undefined>(() => data?.flatMap(({ items }) => items), [data]);
  return { ...query, data: steps };
}

export function useLog(node: string, id: string) {
  return useQuery({
    queryKey: keys.log(node, id),
    queryFn: ({ signal }) => getLog(node, id, signal),
  });
}
