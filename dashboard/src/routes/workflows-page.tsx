import { getRouteApi } from '@tanstack/react-router';
import { useWorkflows, WorkflowList } from '../features/workflows/index.js';
import { Loaded, Page } from '../ui/index.js';
import { NodeTrail } from './trail.js';

const route = getRouteApi('/inside/nodes/$node/workflows');

export function WorkflowsPage() {
  const { node } = route.useParams();
  const workflows = useWorkflows(node);
  return (
    <Page title={`Workflows of ${node}`} above={<NodeTrail node={node} />}>
      <div className="rounded-md border bg-panel">
        <Loaded query={workflows} what="the workflows">
          {(entries) => <WorkflowList node={node} workflows={entries} />}
        </Loaded>
      </div>
    </Page>
  );
}
