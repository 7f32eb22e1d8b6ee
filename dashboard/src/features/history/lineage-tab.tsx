import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Relative } from '@uncaged/protocol/api';
import { CornerDownRight, GitCompare } from 'lucide-react';
import { getLineage, keys } from '../../api/index.js';
import {
  classNames,
  formatCount,
  formatUsd,
  Loaded,
  Notice,
  Status,
  shortId,
  Time,
} from '../../ui/index.js';
import { placeOf, useLive } from '../live/index.js';
import { statusDetail, tokensInWords, tokensOf } from '../threads/index.js';
import { DiffView } from './diff-view.js';
import { lineageRows, relationWords } from './lineage-rows.js';

/** Indentation of a level, px, and the levels that are indented at most: a narrow screen has room for no more. */
const LEVEL_PX = 16;
const LEVELS_MAX = 6;

type LineageTabProps = {
  node: string;
  id: string;
  /** The thread it is compared with; null: with none. */
  compared: string | null;
  onCompare: (other: string | null) => void;
};

/** The threads this one comes from and those that came from it, and how two of them differ. */
export function LineageTab({ node, id, compared, onCompare }: LineageTabProps) {
  const query = useQuery({
    queryKey: keys.lineage(node, id),
    queryFn: ({ signal }) => getLineage(node, id, signal),
  });
  const live = useLive(({ threads }) => threads);
  return (
    <div className="flex flex-col gap-3">
      <h2 className="sr-only">Lineage</h2>
      <Loaded query={query} what="the lineage">
        {({ items, isCut }) => {
          const rows = lineageRows(
            items.map((item) => asNew(item, live[placeOf(node, item.threadId)])),
          );
          const own = rows.find(({ relative }) => relative.threadId === id)?.relative;
          const other = rows.find(({ relative }) => relative.threadId === compared)?.relative;
          return (
            <>
              <ul className="divide-y rounded-md border bg-panel">
                {rows.map(({ relative, depth }) => (
                  <li key={relative.threadId}>
                    <RelativeRow
                      node={node}
                      relative={relative}
                      depth={depth}
                      isOwn={relative.threadId === id}
                      isCompared={relative.threadId === compared}
                      onCompare={onCompare}
                    />
                  </li>
                ))}
              </ul>
              {rows.length === 1 && (
                <p className="text-sm text-muted">
                  Nothing was forked from it, and it has no nested threads. “Fork” makes a new
                  thread that begins with steps of this one.
                </p>
              )}
              {isCut && <Notice kind="info">There are more relatives than are listed here.</Notice>}
              {compared !== null && compared !== id && (
                <DiffView
                  node={node}
                  id={id}
                  other={compared}
                  // Asked again when a step was added to either.
                  revision={`${own?.stepCount ?? ''}.${other?.stepCount ?? ''}`}
                  onClose={() => onCompare(null)}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

/** A relative with what the stream has told of it since it was asked for. */
function asNew(item: Relative, told: Partial<Relative> | undefined): Relative {
  if (told?.updatedAt === undefined || told.updatedAt < item.updatedAt) return item;
  return { ...item, ...told };
}

type RelativeRowProps = {
  node: string;
  relative: Relative;
  depth: number;
  isOwn: boolean;
  isCompared: boolean;
  onCompare: (other: string | null) => void;
};

function RelativeRow({ node, relative, depth, isOwn, isCompared, onCompare }: RelativeRowProps) {
  const { threadId, workflow, status, stepCount, usage, usd, createdAt, imported } = relative;
  const tokens = tokensOf(usage);
  return (
    <div
      className={classNames('flex items-start gap-3 px-3 py-2 text-sm', isOwn && 'bg-accent-soft')}
      style={{ paddingLeft: 12 + Math.min(depth, LEVELS_MAX) * LEVEL_PX }}
    >
      {depth > 0 && <CornerDownRight className="mt-0.5 size-3.5 shrink-0 text-muted" aria-hidden />}
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-3">
          <Link
            to="/nodes/$node/threads/$id"
            params={{ node, id: threadId }}
            aria-current={isOwn ? 'true' : undefined}
            className="font-medium hover:underline"
          >
            {workflow}{' '}
            <span className="font-mono text-xs font-normal text-muted">{shortId(threadId)}</span>
          </Link>
          <Status status={status} detail={statusDetail(relative)} />
          <span className="text-muted">
            {relationWords(relative)}
            {imported && ', from a pack'}
            {isOwn && ' · this one'}
          </span>
        </div>
        <div className="flex flex-wrap gap-x-3 text-muted">
          <span>
            {stepCount} {stepCount === 1 ? 'step' : 'steps'}
          </span>
          {tokens > 0 && <span title={tokensInWords(usage)}>{formatCount(tokens)} tokens</span>}
          {usd > 0 && <span>{formatUsd(usd)}</span>}
          <Time at={createdAt} />
        </div>
      </div>
      {!isOwn && (
        <button
          type="button"
          aria-pressed={isCompared}
          aria-label={`Compare with ${workflow} ${shortId(threadId)}`}
          title="How the two differ"
          className="inline-flex min-h-6 shrink-0 items-center gap-1 rounded border px-1.5 text-muted hover:bg-hover hover:text-text aria-pressed:border-accent aria-pressed:text-accent"
          onClick={() => onCompare(isCompared ? null : threadId)}
        >
          <GitCompare className="size-3.5" aria-hidden />
          <span className="max-sm:sr-only">Compare</span>
        </button>
      )}
    </div>
  );
}
