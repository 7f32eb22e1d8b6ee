import { Link } from '@tanstack/react-router';
import {
  AwayNotice,
  COMPLETED,
  FAILED,
  RUNNING,
  STOPPED,
  ThreadPanel,
  TodayPanel,
} from '../features/home/index.js';
import { FirstNode, NodeList, useNodes } from '../features/nodes/index.js';
import { RECENT_COMPLETED, RECENT_FAILURES } from '../limits.js';
import { Loaded, Page, Panel } from '../ui/index.js';

const ROWS = 12;

/** In five seconds: what runs where, what waits for a person, what went wrong, what it cost. */
export function HomePage() {
  const nodes = useNodes();
  if (nodes.data?.length === 0)
    return (
      <Page title="Home">
        <Panel title="Connect a first machine">
          <FirstNode />
        </Panel>
      </Page>
    );
  return (
    <Page title="Home">
      <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <AwayNotice />
          <ThreadPanel title="Running" filters={RUNNING} max={ROWS} empty="Nothing runs now." />
          <ThreadPanel
            title="Waiting for somebody"
            filters={STOPPED}
            max={ROWS}
            empty="Nothing waits for a person."
          />
          <ThreadPanel
            title="Failed"
            filters={FAILED}
            max={RECENT_FAILURES}
            empty="Nothing has failed."
          />
          <ThreadPanel
            title="Completed"
            filters={COMPLETED}
            max={RECENT_COMPLETED}
            empty="Nothing was completed yet."
          />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <TodayPanel />
          <Panel
            title="Nodes"
            flush
            action={
              <Link to="/nodes" className="text-sm text-accent">
                All nodes
              </Link>
            }
          >
            <Loaded query={nodes} what="the nodes">
              {(machines) => <NodeList machines={machines} compact />}
            </Loaded>
          </Panel>
        </div>
      </div>
    </Page>
  );
}
