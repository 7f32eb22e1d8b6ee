import { getRouteApi } from '@tanstack/react-router';
import type { ThreadDetail } from '@uncaged/protocol/api';
import { Tabs } from 'radix-ui';
import { useState } from 'react';
import { useLive, useWatch } from '../features/live/index.js';
import {
  LastSeenThread,
  LogTab,
  StepsTab,
  statusDetail,
  ThreadControls,
  ThreadFacts,
  ThreadGraph,
  ThreadOrigin,
  useThread,
} from '../features/thread/index.js';
import { DisclosurePanel, Loaded, Notice, Page, Status } from '../ui/index.js';
import { NodeTrail } from './trail.js';

const route = getRouteApi('/inside/nodes/$node/threads/$id');

/** One thread: how it stands, what it did step by step, and what can be done with it. */
export function ThreadPage() {
  const { node, id } = route.useParams();
  const thread = useThread(node, id);
  const isAway = useLive(({ nodes }) => {
    const state = nodes[node]?.machine.state;
    return state !== undefined && state !== 'online';
  });
  const isOver =
    thread.data !== undefined && ['completed', 'cancelled'].includes(thread.data.status);
  useWatch(id, !isOver);
  return (
    <Page
      title={thread.data?.workflow ?? 'Thread'}
      wide
      above={<NodeTrail node={node} />}
      beside={
        thread.data && <Status status={thread.data.status} detail={statusDetail(thread.data)} />
      }
      actions={thread.data && <ThreadControls node={node} thread={thread.data} />}
    >
      {isAway && thread.data !== undefined && (
        <Notice kind="warning" className="mb-3">
          {node} is not connected now: this is how the thread was when it was last seen. It goes on
          there by itself.
        </Notice>
      )}
      {isAway && thread.data === undefined && thread.isError ? (
        <LastSeenThread
          node={node}
          id={id}
          error={thread.error}
          onRetry={() => void thread.refetch()}
        />
      ) : (
        <Loaded query={thread} what="the thread">
          {(data) => <ThreadBody node={node} thread={data} />}
        </Loaded>
      )}
    </Page>
  );
}

const tabLook =
  'border-b-2 border-transparent px-1 py-2 text-sm text-muted hover:text-text data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-text';

function ThreadBody({ node, thread }: { node: string; thread: ThreadDetail }) {
  const { tab, step } = route.useSearch();
  const navigate = route.useNavigate();
  const [jump, setJump] = useState<{ seq: number; count: number } | null>(null);
  const select = (seq: number) =>
    void navigate({ search: { step: seq }, replace: true, resetScroll: false });
  return (
    <div className="flex flex-col gap-3">
      <ThreadFacts node={node} thread={thread} />
      {thread.problem !== null && (
        <Notice kind="error">
          <span className="font-medium">{thread.problem.code}</span>: {thread.problem.message}
        </Notice>
      )}
      {thread.summary !== null && thread.summary !== '' && (
        <Notice kind="info">
          <span className="font-medium">Result:</span> {thread.summary}
        </Notice>
      )}
      <ThreadOrigin thread={thread} />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
        <DisclosurePanel title="Graph" className="xl:sticky xl:top-4">
          <ThreadGraph
            node={node}
            thread={thread}
            selected={step ?? null}
            onSelect={(seq) => {
              select(seq);
              setJump({ seq, count: (jump?.count ?? 0) + 1 });
            }}
          />
        </DisclosurePanel>
        <Tabs.Root
          value={tab ?? 'steps'}
          onValueChange={(value) =>
            void navigate({
              search: value === 'log' ? { tab: 'log' } : {},
              replace: true,
              resetScroll: false,
            })
          }
          className="min-w-0"
        >
          <Tabs.List aria-label="Parts of the thread" className="mb-3 flex gap-4 border-b">
            <Tabs.Trigger value="steps" className={tabLook}>
              Steps
            </Tabs.Trigger>
            <Tabs.Trigger value="log" className={tabLook}>
              Log
            </Tabs.Trigger>
          </Tabs.List>
          <Tabs.Content value="steps">
            <StepsTab
              node={node}
              thread={thread}
              selected={step ?? null}
              jump={jump}
              onSelect={select}
            />
          </Tabs.Content>
          <Tabs.Content value="log">
            <LogTab node={node} id={thread.threadId} />
          </Tabs.Content>
        </Tabs.Root>
      </div>
    </div>
  );
}
