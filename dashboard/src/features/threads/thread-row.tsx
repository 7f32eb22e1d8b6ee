import { Link } from '@tanstack/react-router';
import type { PlacedThread } from '@uncaged/protocol/api';
import { memo, useState } from 'react';
import {
  Ago,
  classNames,
  Elapsed,
  formatCount,
  formatUsd,
  Status,
  shortId,
} from '../../ui/index.js';
import { useLive } from '../live/index.js';
import { statusDetail } from './status-detail.js';
import { THREAD_COLUMNS } from './thread-columns.js';
import { tokensOf } from './tokens.js';
import { useQueueWords } from './use-queue-words.js';

/** One thread as a line that leads to it. */
export const ThreadRow = memo(function ThreadRow({ thread }: { thread: PlacedThread }) {
  const { node, threadId, status, workflow, prompt, role, stepCount } = thread;
  const tokens = tokensOf(thread.usage);
  const isAway = useLive(({ nodes }) => {
    const state = nodes[node]?.machine.state;
    return state !== undefined && state !== 'online';
  });
  const isOver = status === 'completed' || status === 'failed' || status === 'cancelled';
  const detail = statusDetail(thread);
  const [isLookedAt, setIsLookedAt] = useState(false);
  const queue = useQueueWords(node, thread, isLookedAt);
  const why = thread.problem?.message ?? thread.summary;
  return (
    <Link
      to="/nodes/$node/threads/$id"
      params={{ node, id: threadId }}
      // A list may be long: where it stands in the queue is asked for of the one that somebody looks at.
      onPointerEnter={() => setIsLookedAt(true)}
      onPointerLeave={() => setIsLookedAt(false)}
      onFocus={() => setIsLookedAt(true)}
      onBlur={() => setIsLookedAt(false)}
      className={classNames(
        'grid grid-cols-[1fr_auto] items-center gap-x-3 gap-y-0.5 px-3 py-2 hover:bg-hover',
        THREAD_COLUMNS,
        isAway && 'bg-sunken',
      )}
    >
      <span className="row-start-1 flex items-center gap-2 @min-[46rem]:flex-col @min-[46rem]:items-start @min-[46rem]:gap-0.5">
        <Status status={status} title={queue === null ? undefined : `Queued: ${queue}.`} />
        {detail !== null && (
          <span className="text-xs text-warn @min-[46rem]:pl-[1.125rem]">{detail}</span>
        )}
      </span>
      <span className="col-span-2 row-start-2 min-w-0 @min-[46rem]:col-span-1 @min-[46rem]:row-start-1">
        <span className="flex min-w-0 items-baseline gap-2">
          <span className="truncate font-medium">{workflow}</span>
          <span className="shrink-0 font-mono text-xs text-muted">{shortId(threadId)}</span>
        </span>
        <span className="block truncate text-sm text-muted">
          {(isOver && why) || prompt || 'no prompt'}
        </span>
      </span>
      <span className="row-start-3 flex min-w-0 gap-2 text-sm @min-[46rem]:row-start-1 @min-[46rem]:block">
        <span className="block truncate">{node}</span>
        <span
          className="block truncate text-muted"
          title={isAway ? `${node} is not connected: this was seen last.` : undefined}
        >
          {isAway ? 'offline' : isOver ? '' : (role ?? 'not begun')}
        </span>
      </span>
      <span className="row-start-3 hidden text-right text-sm @min-[46rem]:row-start-1 @min-[46rem]:block">
        {stepCount}
        <span className="sr-only">{stepCount === 1 ? ' step' : ' steps'}</span>
      </span>
      <span className="row-start-1 text-right text-sm">
        {thread.startedAt === null ? (
          <span className="text-muted">–</span>
        ) : (
          <Elapsed
            from={thread.startedAt}
            to={isOver ? thread.endedAt : isAway ? thread.updatedAt : restsAt(thread)}
          />
        )}
      </span>
      <span className="hidden text-right text-sm @min-[46rem]:block">
        {tokens === 0 ? <span className="text-muted">–</span> : formatCount(tokens)}
        {thread.usd > 0 && <span className="block text-muted">{formatUsd(thread.usd)}</span>}
      </span>
      <span className="row-start-3 text-right text-sm text-muted @min-[46rem]:row-start-1">
        <Ago at={thread.createdAt} />
      </span>
    </Link>
  );
});

/** A thread that rests does not grow older: when it stopped; null while it runs. */
function restsAt({ status, updatedAt }: PlacedThread): string | null {
  return status === 'running' ? null : updatedAt;
}
