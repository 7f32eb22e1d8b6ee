import type { StepJson, ThreadDetail } from '@uncaged/protocol/api';
import { useMemo } from 'react';
import { Empty, formatDuration, Loaded, useNow } from '../../ui/index.js';
import { useSteps } from '../thread/index.js';
import { TimelineList } from './timeline-list.js';
import { waterfall } from './waterfall.js';

type TimelineTabProps = {
  node: string;
  thread: ThreadDetail;
  selected: number | null;
  onSelect: (seq: number) => void;
  /** Shows a step with all it said. */
  onOpen: (seq: number) => void;
};

/** When each step began and how long it took; the one in flight grows. */
export function TimelineTab({ node, thread, ...rest }: TimelineTabProps) {
  return (
    <>
      <h2 className="sr-only">Timeline</h2>
      <Loaded query={useSteps(node, thread.threadId)} what="the steps">
        {(steps) =>
          steps.length === 0 ? (
            <Empty>No step has begun.</Empty>
          ) : (
            <Waterfall node={node} steps={steps} {...rest} />
          )
        }
      </Loaded>
    </>
  );
}

function Waterfall({ steps, ...rest }: Omit<TimelineTabProps, 'thread'> & { steps: StepJson[] }) {
  const grows = steps.some(({ status }) => status === 'running');
  const now = useNow(grows);
  const { rows, totalMs } = useMemo(() => waterfall(steps, grows ? now : 0), [steps, grows, now]);
  return (
    <div className="rounded-md border bg-panel">
      <p className="border-b px-3 py-2 text-sm text-muted">
        {steps.length.toLocaleString('en-US')} {steps.length === 1 ? 'attempt' : 'attempts'} in{' '}
        {formatDuration(totalMs)}. ↑ and ↓ move, Enter selects.
      </p>
      <TimelineList rows={rows} {...rest} />
    </div>
  );
}
