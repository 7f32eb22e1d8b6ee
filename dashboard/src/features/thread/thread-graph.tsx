import type { ThreadDetail } from '@uncaged/protocol/api';
import { useMemo } from 'react';
import { Loaded } from '../../ui/index.js';
import { litRoles, nextVisit, takenEdges, WorkflowGraph } from '../graph/index.js';
import { useWorkflow } from '../workflows/index.js';
import { useSteps } from './thread-queries.js';

/** The graph of a thread's workflow, lit by how its roles stand. */
export function ThreadGraph({
  node,
  thread,
  selected,
  onSelect,
}: {
  node: string;
  thread: ThreadDetail;
  /** `seq` of the step that is shown; null: none in particular. */
  selected: number | null;
  onSelect: (step: number) => void;
}) {
  const workflow = useWorkflow(node, thread.workflow);
  const { data: steps = [] } = useSteps(node, thread.threadId);
  const lit = useMemo(() => litRoles(steps, thread.status), [steps, thread.status]);
  const taken = useMemo(() => takenEdges(steps, thread.status), [steps, thread.status]);
  return (
    <Loaded query={workflow} what="the workflow">
      {({ descriptor, hash }) => (
        <div className="flex flex-col gap-2">
          {hash !== thread.version && (
            <p className="text-xs text-warn">
              This is how {thread.workflow} is now; the thread runs an earlier version.
            </p>
          )}
          <WorkflowGraph
            roles={descriptor.roles}
            edges={descriptor.graph.edges}
            lit={lit}
            taken={taken}
            selected={steps.find(({ seq }) => seq === selected)?.role ?? null}
            onSelect={(role) => {
              const next = nextVisit(steps, role, selected);
              if (next !== null) onSelect(next);
            }}
          />
        </div>
      )}
    </Loaded>
  );
}
