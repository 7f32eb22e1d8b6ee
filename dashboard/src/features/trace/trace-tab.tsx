import { useQuery } from '@tanstack/react-query';
import type { StepJson, ThreadDetail } from '@uncaged/protocol/api';
import { getStepDetail, keys } from '../../api/index.js';
import { Empty, Loaded } from '../../ui/index.js';
import { useSteps } from '../thread/index.js';
import { SessionView } from './session-view.js';
import { StepChoice } from './step-choice.js';

type TraceTabProps = {
  node: string;
  thread: ThreadDetail;
  selected: number | null;
  onSelect: (seq: number) => void;
};

/** What the agents did within their steps, as far as they tell. */
export function TraceTab({ node, thread, selected, onSelect }: TraceTabProps) {
  return (
    <div className="flex flex-col gap-3">
      <h2 className="sr-only">Trace</h2>
      <Loaded query={useSteps(node, thread.threadId)} what="the steps">
        {(steps) => (
          <TraceOfOne
            node={node}
            steps={steps.filter(mayHaveTrace)}
            selected={selected}
            onSelect={onSelect}
          />
        )}
      </Loaded>
    </div>
  );
}

/** Scripts have no turns; an attempt that failed leaves none. */
function mayHaveTrace({ agent, hash, status }: StepJson): boolean {
  return agent !== 'run' && hash !== null && status === 'committed';
}

function TraceOfOne({
  node,
  steps,
  selected,
  onSelect,
}: Omit<TraceTabProps, 'thread'> & { steps: StepJson[] }) {
  const step = steps.find(({ seq }) => seq === selected) ?? steps.at(-1);
  const hash = step?.hash ?? '';
  const query = useQuery({
    queryKey: keys.stepDetail(node, hash),
    queryFn: ({ signal }) => getStepDetail(node, hash, signal),
    // What a step's state says never changes.
    staleTime: Number.POSITIVE_INFINITY,
    enabled: hash !== '',
  });
  if (step === undefined)
    return (
      <Empty>
        No agent has ended a step of this thread yet. Scripts have no turns to tell of: what they
        said is with their steps.
      </Empty>
    );
  return (
    <>
      <StepChoice steps={steps} step={step} onSelect={onSelect} />
      <Loaded query={query} what="the trace">
        {({ trace }) =>
          trace === null ? (
            <Empty>{step.agent} does not tell what it did within this step.</Empty>
          ) : (
            <SessionView key={hash} node={node} trace={trace} />
          )
        }
      </Loaded>
    </>
  );
}
