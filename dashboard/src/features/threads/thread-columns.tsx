import { classNames } from '../../ui/index.js';

/** Widths of the columns, where the list is wide enough for any. */
export const THREAD_COLUMNS =
  '@min-[46rem]:grid-cols-[6.5rem_minmax(0,1fr)_6.5rem_3rem_4rem_4rem_4.5rem]';

/** Heads of the columns of `ThreadRow`; on a narrow screen the rows speak for themselves. */
export function ThreadColumns() {
  return (
    <div
      aria-hidden
      className={classNames(
        'hidden gap-x-3 border-b px-3 py-1.5 text-xs text-muted @min-[46rem]:grid',
        THREAD_COLUMNS,
      )}
    >
      <span>Status</span>
      <span>Workflow</span>
      <span>Node · role</span>
      <span className="text-right">Steps</span>
      <span className="text-right">Elapsed</span>
      <span className="text-right">Tokens</span>
      <span className="text-right">Started</span>
    </div>
  );
}
