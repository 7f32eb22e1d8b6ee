import { useQuery } from '@tanstack/react-query';
import type { PlacedThread } from '@uncaged/protocol/api';
import { useMemo } from 'react';
import { keys, listThreads } from '../../api/index.js';
import { TODAY_THREADS } from '../../limits.js';
import { useLive } from '../live/index.js';
import { mergeThreads, NO_FILTERS, tokensOf } from '../threads/index.js';

export type Today = {
  started: number;
  byStatus: Partial<Record<PlacedThread['status'], number>>;
  tokens: number;
  usd: number;
  /** There were more than are counted here. */
  more: boolean;
};

/** Largest page of a list. */
const PAGE_ROWS = 200;

/** Sums over threads that began since midnight, where this browser is. */
export function sumToday(threads: readonly PlacedThread[], midnight: number): Omit<Today, 'more'> {
  const today = threads.filter(({ createdAt }) => Date.parse(createdAt) >= midnight);
  const byStatus: Today['byStatus'] = {};
  for (const { status } of today) byStatus[status] = (byStatus[status] ?? 0) + 1;
  return {
    started: today.length,
    byStatus,
    tokens: today.reduce((sum, { usage }) => sum + tokensOf(usage), 0),
    usd: today.reduce((sum, { usd }) => sum + usd, 0),
  };
}

function midnightOf(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

async function loadToday(signal: AbortSignal): Promise<{ threads: PlacedThread[]; more: boolean }> {
  const midnight = midnightOf(Date.now());
  const threads: PlacedThread[] = [];
  let cursor: string | null = null;
  do {
    const page = await listThreads(NO_FILTERS, cursor, signal, PAGE_ROWS);
    threads.push(...page.items);
    const last = page.items.at(-1);
    const isOlder = last !== undefined && Date.parse(last.createdAt) < midnight;
    cursor = isOlder ? null : page.nextCursor;
  } while (cursor !== null && threads.length < TODAY_THREADS);
  return { threads, more: cursor !== null };
}

/** Loaded once; what happens since comes by the stream. */
export function useToday() {
  const query = useQuery({ queryKey: keys.today, queryFn: ({ signal }) => loadToday(signal) });
  const threads = useLive((state) => state.threads);
  const removed = useLive((state) => state.removed);
  const { data } = query;
  const today = useMemo((): Today | undefined => {
    if (data === undefined) return undefined;
    const all = mergeThreads(data.threads, { threads, removed }, NO_FILTERS, !data.more);
    return { ...sumToday(all, midnightOf(Date.now())), more: data.more };
  }, [data, threads, removed]);
  return { ...query, data: today };
}
