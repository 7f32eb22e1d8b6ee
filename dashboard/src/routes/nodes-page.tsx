import { NodeList, useNodes } from '../features/nodes/index.js';
import { Loaded, Page } from '../ui/index.js';

export function NodesPage() {
  const nodes = useNodes();
  return (
    <Page title="Nodes">
      <div className="@container rounded-md border bg-panel">
        <Loaded query={nodes} what="the nodes">
          {(machines) => <NodeList machines={machines} />}
        </Loaded>
      </div>
    </Page>
  );
}
