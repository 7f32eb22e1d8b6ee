import { getRouteApi, Link } from '@tanstack/react-router';
import type { MachineDetail } from '@uncaged/protocol/api';
import { Workflow } from 'lucide-react';
import { isNoNode } from '../api/index.js';
import { ImportButton } from '../features/history/index.js';
import { NodeDetail, useMachine, useNodes, usualVersion } from '../features/nodes/index.js';
import { StartButton } from '../features/start/index.js';
import { NO_FILTERS, searchOf, ThreadColumns, ThreadRow } from '../features/threads/index.js';
import { buttonLook, Empty, Loaded, Page, Panel } from '../ui/index.js';
import { NodeTrail } from './trail.js';

const route = getRouteApi('/inside/nodes/$node');

/** One machine: how it stands, and what it did last; also while it is away. */
export function NodePage() {
  const { node } = route.useParams();
  const machine = useMachine(node);
  const nodes = useNodes();
  if (machine.data === undefined && isNoNode(machine.error)) return <NoSuchNode node={node} />;
  return (
    <Page
      title={node}
      above={<NodeTrail />}
      actions={
        <>
          <Link to="/nodes/$node/workflows" params={{ node }} className={buttonLook()}>
            <Workflow className="size-4" aria-hidden />
            Workflows
          </Link>
          <ImportButton node={node} />
          <StartButton node={node} />
        </>
      }
    >
      <Loaded query={machine} what={node}>
        {(data) => (
          <div className="flex flex-col gap-4">
            <NodeDetail machine={data} usual={usualVersion(nodes.data ?? [])} />
            <NewestThreads machine={data} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function NoSuchNode({ node }: { node: string }) {
  return (
    <Page title="No such node" above={<NodeTrail />}>
      <Empty>
        No node called <span className="font-medium text-text wrap-anywhere">{node}</span> has ever
        connected to this gateway.{' '}
        <Link to="/nodes" className="text-accent underline">
          Those that have
        </Link>
      </Empty>
    </Page>
  );
}

function NewestThreads({ machine: { name, state, threads } }: { machine: MachineDetail }) {
  return (
    <Panel
      title={state === 'online' ? 'Newest threads' : 'Newest threads, as last seen'}
      flush
      action={
        <Link
          to="/threads"
          search={searchOf({ ...NO_FILTERS, node: name })}
          className="text-sm text-accent"
        >
          All of {name}
        </Link>
      }
    >
      {threads.length === 0 ? (
        <Empty>No threads.</Empty>
      ) : (
        <>
          <ThreadColumns />
          <ul className="divide-y">
            {threads.map((thread) => (
              <li key={thread.threadId}>
                <ThreadRow thread={{ ...thread, node: name }} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}
