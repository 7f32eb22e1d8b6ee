import { getRouteApi } from '@tanstack/react-router';
import type { ThreadDetail } from '@uncaged/protocol/api';
import { Tabs } from 'radix-ui';
import { useState } from 'react';
import { ForkDialog, HistoryButtons, LineageTab } from '../features/history/index.js';
import { useLive, useWatch } from '../features/live/index.js';
import {
  LastSeenThread,
  LogTab,
  QueueLine,
  StepsTab,
  ThreadControls,
  ThreadFacts,
  ThreadGraph,
  ThreadOrigin,
  useThread,
} from '../features/thread/index.js';
import { statusDetail } from '../features/threads/index.js';
import { TimelineTab } from '../features/timeline/index.js';
import { TraceTab } from '../features/trace/index.js';
import { DisclosurePanel, Loaded, Notice, Page, Status } from '../ui/index.js';
import type { ThreadPageSearch, ThreadTab } from './thread-page-search.js';
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
  const [fork, setFork] = useState<{ keep: number | null } | null>(null);
  const navigate = route.useNavigate();
  return (
    <Page
      title={thread.data?.workflow ?? 'Thread'}
      wide
      above={<NodeTrail node={node} />}
      beside={
        thread.data && <Status status={thread.data.status} detail={statusDetail(thread.data)} />
      }
      actions={
        thread.data && (
          <>
            <ThreadControls node={node} thread={thread.data} />
            <HistoryButtons
              node={node}
              thread={thread.data}
              onFork={() => setFork({ keep: null })}
            />
          </>
        )
      }
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
          {(data) => (
            <ThreadBody
              key={data.threadId}
              node={node}
              thread={data}
              onFork={(keep) => setFork({ keep })}
            />
          )}
        </Loaded>
      )}
      {thread.data && (
        <ForkDialog
          node={node}
          thread={thread.data}
          open={fork !== null}
          keep={fork?.keep ?? null}
          onClose={() => setFork(null)}
          onForked={(forked) =>
            void navigate({ to: '/nodes/$node/threads/$id', params: { node, id: forked } })
          }
        />
      )}
    </Page>
  );
}

const tabLook =
  'border-b-2 border-transparent px-1 py-2 text-sm text-muted hover:text-text data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-text';

const TABS: [ThreadTab, string][] = [
  ['steps', 'Steps'],
  ['timeline', 'Timeline'],
  ['trace', 'Trace'],
  ['log', 'Log'],
  ['lineage', 'Lineage'],
];

type ThreadBodyProps = {
  node: string;
  thread: ThreadDetail;
  onFork: (keep: number) => void;
};

function ThreadBody({ node, thread, onFork }: ThreadBodyProps) {
  const search = route.useSearch();
  const { step = null } = search;
  const navigate = route.useNavigate();
  const [jump, setJump] = useState<{ seq: number; count: number } | null>(null);
  const go = (to: ThreadPageSearch) =>
    void navigate({ search: to, replace: true, resetScroll: false });
  const select = (seq: number) => go({ step: seq });
  const open = (seq: number) => {
    select(seq);
    setJump({ seq, count: (jump?.count ?? 0) + 1 });
  };
  /** Where steps are told of, the one that is looked at stays. */
  const openTab = (tab: string) =>
    go({
      tab: tab === 'steps' ? undefined : (tab as ThreadPageSearch['tab']),
      step: tab === 'log' || tab === 'lineage' ? undefined : search.step,
    });
  return (
    <div className="flex flex-col gap-3">
      <QueueLine node={node} thread={thread} />
      <ThreadFacts node={node} thread={thread} />
      {thread.imported && (
        <Notice kind="info">A copy from a pack: it can be read and forked, not run.</Notice>
      )}
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
          <ThreadGraph node={node} thread={thread} selected={step} onSelect={open} />
        </DisclosurePanel>
        <Tabs.Root value={search.tab ?? 'steps'} onValueChange={openTab} className="min-w-0">
          <Tabs.List
            aria-label="Parts of the thread"
            className="mb-3 flex gap-3 overflow-x-auto border-b sm:gap-4"
          >
            {TABS.map(([value, word]) => (
              <Tabs.Trigger key={value} value={value} className={tabLook}>
                {word}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          <Tabs.Content value="steps">
            <StepsTab
              node={node}
              thread={thread}
              selected={step}
              jump={jump}
              onSelect={select}
              onFork={onFork}
            />
          </Tabs.Content>
          <Tabs.Content value="timeline">
            <TimelineTab
              node={node}
              thread={thread}
              selected={step}
              onSelect={(seq) => go({ tab: 'timeline', step: seq })}
              onOpen={open}
            />
          </Tabs.Content>
          <Tabs.Content value="trace">
            <TraceTab
              node={node}
              thread={thread}
              selected={step}
              onSelect={(seq) => go({ tab: 'trace', step: seq })}
            />
          </Tabs.Content>
          <Tabs.Content value="log">
            <LogTab node={node} id={thread.threadId} />
          </Tabs.Content>
          <Tabs.Content value="lineage">
            <LineageTab
              key={thread.threadId}
              node={node}
              id={thread.threadId}
              compared={search.with ?? null}
              onCompare={(other) => go({ tab: 'lineage', with: other ?? undefined })}
            />
          </Tabs.Content>
        </Tabs.Root>
      </div>
    </div>
  );
}
