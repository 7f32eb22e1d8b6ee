import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ThreadFilters } from '../../api/index.js';
import { Failed, Loading, Panel } from '../../ui/index.js';
import { searchOf, ThreadColumns, ThreadRow, useThreads } from '../threads/index.js';

/** The first threads of a list that narrows to something worth knowing, and the way to all of it. */
export function ThreadPanel({
  title,
  filters,
  max,
  empty,
}: {
  title: string;
  filters: ThreadFilters;
  max: number;
  empty: ReactNode;
}) {
  const { rows, error, refetch, loadMore } = useThreads(filters);
  const shown = rows?.slice(0, max) ?? [];
  const count = rows === undefined ? undefined : `${rows.length}${loadMore === null ? '' : '+'}`;
  return (
    <Panel title={title} count={count} flush>
      {rows === undefined &&
        (error === null ? (
          <Loading what="threads" />
        ) : (
          <Failed what="threads" error={error} onRetry={refetch} />
        ))}
      {rows !== undefined && rows.length === 0 && (
        <p className="px-3 py-3 text-sm text-muted">{empty}</p>
      )}
      {shown.length > 0 && (
        <>
          <ThreadColumns />
          <ul className="divide-y">
            {shown.map((thread) => (
              <li key={`${thread.node}/${thread.threadId}`}>
                <ThreadRow thread={thread} />
              </li>
            ))}
          </ul>
        </>
      )}
      {rows !== undefined && rows.length > max && (
        <p className="border-t px-3 py-2 text-sm">
          <Link to="/threads" search={searchOf(filters)} className="text-accent underline">
            All {count} of them
          </Link>
        </p>
      )}
    </Panel>
  );
}
