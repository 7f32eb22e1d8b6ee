import type { ThreadDetail } from '@uncaged/protocol/api';
import { Switch } from 'radix-ui';
import { useId, useState } from 'react';
import { Empty, Loaded } from '../../ui/index.js';
import { type Jump, StepList } from './step-list.js';
import { useSteps } from './thread-queries.js';

/** The steps of a thread, growing while it runs. */
export function StepsTab({
  node,
  thread,
  selected,
  jump,
  onSelect,
  onFork,
}: {
  node: string;
  thread: ThreadDetail;
  selected: number | null;
  jump: Jump | null;
  onSelect: (seq: number) => void;
  /** Does a step again in a thread of its own: keeps so many steps. */
  onFork: (keep: number) => void;
}) {
  const [follow, setFollow] = useState(selected === null);
  const query = useSteps(node, thread.threadId);
  const isRunning = thread.status === 'running' || thread.status === 'queued';
  // The news of its end may come before its last steps, which whoever followed wants to see too.
  const [sawItRun, setSawItRun] = useState(isRunning);
  if (isRunning && !sawItRun) setSawItRun(true);
  return (
    <div className="flex flex-col gap-2">
      <h2 className="sr-only">Steps</h2>
      {isRunning && <FollowSwitch follow={follow} onFollow={setFollow} />}
      <Loaded query={query} what="the steps">
        {(steps) =>
          steps.length === 0 ? (
            <Empty>
              {thread.status === 'queued'
                ? 'It waits for its turn; the first step appears here by itself.'
                : 'No step has begun.'}
            </Empty>
          ) : (
            <StepList
              node={node}
              thread={thread}
              steps={steps}
              follow={sawItRun && follow}
              onFollow={setFollow}
              selected={selected}
              jump={jump}
              onSelect={onSelect}
              onFork={onFork}
            />
          )
        }
      </Loaded>
    </div>
  );
}

function FollowSwitch({
  follow,
  onFollow,
}: {
  follow: boolean;
  onFollow: (follow: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="flex items-center justify-end gap-2 text-sm">
      <label htmlFor={id} className="text-muted">
        Follow what happens
      </label>
      <Switch.Root
        id={id}
        checked={follow}
        onCheckedChange={onFollow}
        className="h-5 w-9 rounded-full border border-line-strong bg-sunken p-0.5 data-[state=checked]:border-accent data-[state=checked]:bg-accent-solid"
      >
        <Switch.Thumb className="block size-3.5 rounded-full bg-muted transition-transform data-[state=checked]:translate-x-4 data-[state=checked]:bg-white" />
      </Switch.Root>
    </div>
  );
}
