import type { ReactNode } from 'react';
import { failureText } from '../api/index.js';
import { Notice } from './notice.js';
import { Failed, Loading } from './placeholder.js';

type Asked<T> = {
  data: T | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
};

/** What a query has: a word while it is on its way, why it failed, or the thing; with what was there before when only the last look failed. */
export function Loaded<T>({
  query,
  what,
  children,
}: {
  query: Asked<T>;
  what: string;
  children: (data: T) => ReactNode;
}) {
  const { data, error } = query;
  if (data === undefined && error !== null && error !== undefined)
    return <Failed what={what} error={error} onRetry={() => void query.refetch()} />;
  if (data === undefined) return <Loading what={what} />;
  return (
    <>
      {error !== null && error !== undefined && (
        <Notice kind="warning" className="mb-3">
          This is how it was before: {failureText(error)}
        </Notice>
      )}
      {children(data)}
    </>
  );
}
