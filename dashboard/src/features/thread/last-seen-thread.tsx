import {
  CopyId,
  Fact,
  Facts,
  Failed,
  formatCount,
  formatUsd,
  Loading,
  Notice,
  Status,
  Time,
} from '../../ui/index.js';
import { placeOf, useLive } from '../live/index.js';
import { useMachine } from '../nodes/index.js';
import { statusDetail, tokensInWords, tokensOf } from '../threads/index.js';
import { timeOfId } from './time-of-id.js';

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
  if (thread === undefined && machine.isPending) return <Loading what="what is known of it" />;
  if (thread === undefined)
    return machine.data === undefined ? (
      <Failed what="the thread" error={error} onRetry={onRetry} />
    ) : (
      <NeverSeen node={node} id={id} seenAt={machine.data.seenAt} />
    );
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

/** A thread that the gateway has heard nothing of before its node went away: its id tells when it began. */
function NeverSeen({ node, id, seenAt }: { node: string; id: string; seenAt: string | null }) {
  const beganAt = timeOfId(id);
  const isNewer = beganAt !== null && (seenAt === null || beganAt > seenAt);
  return (
    <div className="flex flex-col gap-3">
      <Notice kind="warning">
        {node} is not connected, and nothing of this thread was seen here before that. What it does
        is on {node}; it appears here by itself as soon as {node} is back.
      </Notice>
      <div className="flex flex-col gap-3 rounded-md border bg-panel p-3">
        <Facts>
          <Fact name="Thread">
            <CopyId id={id} what="thread" />
          </Fact>
          {beganAt !== null && (
            <Fact name="Made" title="As its id says">
              <Time at={beganAt} />
            </Fact>
          )}
          <Fact name={`Last look at ${node}`}>
            {seenAt === null ? 'never' : <Time at={seenAt} />}
          </Fact>
        </Facts>
        <p className="text-sm text-muted">
          {isNewer
            ? 'It is newer than that look.'
            : `It was not among the newest threads of ${node} then: it is an older one, or there is none with this id.`}
        </p>
      </div>
    </div>
  );
}
