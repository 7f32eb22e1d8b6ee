import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { ThreadFilters } from '../api/index.js';
import { useNodes } from '../features/nodes/index.js';
import {
  FilterBar,
  filtersOf,
  isNarrowed,
  NO_FILTERS,
  searchOf,
  ThreadColumns,
  ThreadList,
  UnreachableNotice,
  useThreads,
} from '../features/threads/index.js';
import { Button, Empty, Failed, Loading, Page } from '../ui/index.js';

const route = getRouteApi('/inside/threads');

/** Threads of all machines, narrowed by what the address says. */
export function ThreadsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filters = useMemo(() => filtersOf(search), [search]);
  const change = useCallback(
    (next: ThreadFilters) => void navigate({ search: searchOf(next), replace: true }),
    [navigate],
  );
  const threads = useThreads(filters);
  const nodes = useNodes();
  const { rows, error } = threads;
  const workflows = useMemo(
    () => [...new Set(rows?.map(({ workflow }) => workflow) ?? [])].sort(),
    [rows],
  );
  return (
    <Page title="Threads">
      <FilterBar
        filters={filters}
        workflows={workflows}
        nodes={nodes.data?.map(({ name }) => name) ?? []}
        onChange={change}
      />
      <UnreachableNotice nodes={threads.unreachable} className="mb-3" />
      <div className="@container rounded-md border bg-panel">
        <ThreadColumns />
        {rows === undefined &&
          (error === null ? (
            <Loading what="threads" />
          ) : (
            <Failed what="threads" error={error} onRetry={threads.refetch} />
          ))}
        {rows !== undefined && rows.length === 0 && (
          <Empty
            action={
              isNarrowed(filters) && <Button onClick={() => change(NO_FILTERS)}>Show all</Button>
            }
          >
            {isNarrowed(filters)
              ? 'No thread is like that.'
              : 'No thread was started yet. “Start” begins one.'}
          </Empty>
        )}
        {rows !== undefined && rows.length > 0 && <ThreadList rows={rows} threads={threads} />}
      </div>
    </Page>
  );
}
