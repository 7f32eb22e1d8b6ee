import { getRouteApi, Link } from '@tanstack/react-router';
import { WorkflowGraph } from '../features/graph/index.js';
import { StartButton } from '../features/start/index.js';
import { NO_FILTERS, searchOf } from '../features/threads/index.js';
import { RoleCard, useWorkflow, VersionPanel } from '../features/workflows/index.js';
import { CopyId, Loaded, Page, Panel } from '../ui/index.js';
import { NodeTrail } from './trail.js';

const route = getRouteApi('/inside/nodes/$node/workflows/$name');

/** One workflow: what it is for, how control goes, who does what, and its versions. */
export function WorkflowPage() {
  const { node, name } = route.useParams();
  const workflow = useWorkflow(node, name);
  return (
    <Page
      title={name}
      above={<NodeTrail node={node} workflows />}
      beside={workflow.data && <CopyId id={workflow.data.hash} what="version" />}
      actions={
        <>
          <Link
            to="/threads"
            search={searchOf({ ...NO_FILTERS, node, workflow: name })}
            className="text-sm text-accent"
          >
            Its threads
          </Link>
          <StartButton node={node} workflow={name} />
        </>
      }
    >
      <Loaded query={workflow} what={name}>
        {({ descriptor, description }) => {
          const roles = Object.entries(descriptor.roles);
          return (
            <div className="flex flex-col gap-4">
              <p className="max-w-prose">{description ?? descriptor.description}</p>
              <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
                <div className="flex flex-col gap-4">
                  <Panel title="Graph">
                    <WorkflowGraph
                      roles={descriptor.roles}
                      edges={descriptor.graph.edges}
                      onSelect={(role) => document.getElementById(`role-${role}`)?.scrollIntoView()}
                    />
                  </Panel>
                  <VersionPanel node={node} name={name} />
                </div>
                <section aria-label="Roles" className="flex flex-col gap-3">
                  <h2 className="text-sm font-semibold">
                    Roles <span className="font-normal text-muted">{roles.length}</span>
                  </h2>
                  {roles.map(([role, definition]) => (
                    <RoleCard key={role} name={role} role={definition} />
                  ))}
                </section>
              </div>
            </div>
          );
        }}
      </Loaded>
    </Page>
  );
}
