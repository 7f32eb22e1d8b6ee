import {
  Fact,
  Facts,
  Failed,
  formatCount,
  formatUsd,
  Notice,
  Status,
  Time,
} from '../../ui/index.js';
import { placeOf, useLive } from '../live/index.js';
import { useMachine } from '../nodes/index.js';
import { tokensInWords, tokensOf } from '../threads/index.js';
import { statusDetail } from './orders.js';

/** What is known of a thread whose node is away: the row that was seen last. Its steps are on the node. */
export function LastSeenThread({
  node,
  id,
  error,
  onRetry,
}: {
  node: string;
  id: string;
  /** Why the thread itself could not be had. */
  error: unknown;
  onRetry: () => void;
}) {
  const remembered = useLive(({ threads }) => threads[placeOf(node, id)]);
  const machine = useMachine(node);
  const thread = remembered ?? machine.data?.threads.find(({ threadId }) => threadId === id);
  if (thread === undefined) return <Failed what="the thread" error={error} onRetry={onRetry} />;
  const { workflow, status, role, stepCount, usage, usd, updatedAt, prompt, summary } = thread;
  return (
    <div className="flex flex-col gap-3">
      <Notice kind="warning">
        Its steps are on {node}; they appear here as soon as {node} is back. This was seen last:
      </Notice>
      <div className="flex flex-col gap-3 rounded-md border bg-panel p-3">
        <Facts>
          <Fact name="Workflow">{workflow}</Fact>
          <Fact name="Status">
            <Status status={status} detail={statusDetail(thread)} />
          </Fact>
          <Fact name="Role">{role ?? '–'}</Fact>
          <Fact name="Steps">{stepCount}</Fact>
          <Fact name="Tokens" title={tokensInWords(usage)}>
            {formatCount(tokensOf(usage))}
          </Fact>
          <Fact name="Cost">{formatUsd(usd)}</Fact>
          <Fact name="Changed">
            <Time at={updatedAt} />
          </Fact>
        </Facts>
        {prompt !== '' && <p className="text-sm wrap-anywhere">{prompt}</p>}
        {summary !== null && <p className="text-sm wrap-anywhere text-muted">{summary}</p>}
      </div>
    </div>
  );
}
