import { Link } from '@tanstack/react-router';
import type { StepJson } from '@uncaged/protocol/api';
import { Workflow } from 'lucide-react';
import { Button, classNames, formatDuration, Status } from '../../ui/index.js';
import type { Bar } from './waterfall.js';

const TONES: Record<StepJson['status'], string> = {
  running: 'bg-accent-solid',
  committed: 'bg-good',
  failed: 'bg-bad',
  interrupted: 'bg-warn',
  cancelled: 'bg-calm',
};

type TimelineRowProps = {
  node: string;
  bar: Bar;
  index: number;
  isSelected: boolean;
  takesTab: boolean;
  onSelect: (seq: number) => void;
  onOpen: (seq: number) => void;
};

/** One attempt: who, and a bar where its time is. */
export function TimelineRow(props: TimelineRowProps) {
  const { node, bar, index, isSelected, takesTab, onSelect, onOpen } = props;
  const { seq, attempt, role, status, childThread } = bar.step;
  const tabIndex = takesTab ? 0 : -1;
  return (
    <div className={classNames(isSelected && 'bg-accent-soft')}>
      <button
        type="button"
        data-row={index}
        tabIndex={tabIndex}
        aria-pressed={isSelected}
        onClick={() => onSelect(seq)}
        className="grid h-8 w-full grid-cols-[minmax(0,8rem)_minmax(0,1fr)_4.5rem] items-center gap-3 px-3 text-left text-sm hover:bg-hover sm:grid-cols-[minmax(0,12rem)_minmax(0,1fr)_4.5rem]"
      >
        <span className="flex min-w-0 items-center gap-2">
          <span className="w-6 shrink-0 text-right text-muted">{seq}</span>
          <span className="truncate">{role}</span>
          {attempt > 1 && <span className="shrink-0 text-xs text-warn">×{attempt}</span>}
          {childThread !== null && (
            <Workflow className="size-3.5 shrink-0 text-muted" aria-label="a nested thread" />
          )}
        </span>
        <span className="relative h-3.5 rounded-sm bg-sunken">
          <span
            aria-hidden
            className={classNames('absolute inset-y-0 min-w-0.5 rounded-sm', TONES[status])}
            style={{ left: `${bar.from * 100}%`, width: `${bar.width * 100}%` }}
          />
        </span>
        <span className="text-right text-muted">{formatDuration(bar.durationMs)}</span>
        <span className="sr-only">{status === 'committed' ? 'done' : status}</span>
      </button>
      {isSelected && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 pb-2 pl-11 text-sm">
          <Status status={status} />
          {attempt > 1 && <span className="text-muted">attempt {attempt}</span>}
          {bar.step.problem !== null && (
            <span className="min-w-0 wrap-anywhere text-bad">{bar.step.problem.message}</span>
          )}
          {childThread !== null && (
            <Link
              to="/nodes/$node/threads/$id"
              params={{ node, id: childThread }}
              search={{ tab: 'timeline' }}
              className="text-accent underline"
            >
              Its nested thread
            </Link>
          )}
          <Button className="ml-auto" onClick={() => onOpen(seq)}>
            Open the step
          </Button>
        </div>
      )}
    </div>
  );
}
