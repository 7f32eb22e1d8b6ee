import type { StepJson, ThreadDetail } from '@uncaged/protocol/api';
import { useMemo } from 'react';
import { Loaded } from '../../ui/index.js';
import { type RoleState, type TakenEdge, WorkflowGraph } from '../graph/index.js';
import { useWorkflow } from '../workflows/index.js';
import { useSteps } from './thread-queries.js';

/** The graph of a thread's workflow, lit by how its roles stand. */
export function ThreadGraph({
  node,
  thread,
  onSelect,
}: {
  node: string;
  thread: ThreadDetail;
  onSelect: (step: number) => void;
}) {
  const workflow = useWorkflow(node, thread.workflow);
  const { data: steps = [] } = useSteps(node, thread.threadId);
  const lit = useMemo(() => litRoles(steps, thread.status), [steps, thread.status]);
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
            lastEdge={lastEdge(steps)}
            onSelect={(role) => {
              const step = steps.findLast((one) => one.role === role);
              if (step !== undefined) onSelect(step.seq);
            }}
          />
        </div>
      )}
    </Loaded>
  );
}

const STATES: Record<StepJson['status'], RoleState> = {
  running: 'running',
  committed: 'done',
  failed: 'failed',
  interrupted: 'failed',
  cancelled: 'failed',
};

/** How each role stands: its last attempt, and how often it was visited (attempts of one visit count once). */
export function litRoles(
  steps: readonly StepJson[],
  status: ThreadDetail['status'],
): Record<string, { state: RoleState; visits: number }> {
  const lit: Record<string, { state: RoleState; visits: number }> = Object.create(null);
  const visited = new Set<number>();
  for (const step of steps) {
    const before = lit[step.role]?.visits ?? 0;
    const visits = visited.has(step.seq) ? before : before + 1;
    visited.add(step.seq);
    lit[step.role] = { state: STATES[step.status], visits };
  }
  const last = steps.at(-1);
  if (status === 'waiting' && last !== undefined && lit[last.role] !== undefined)
    lit[last.role] = { ...lit[last.role]!, state: 'waiting' };
  return lit;
}

/** The way control went last. */
export function lastEdge(steps: readonly StepJson[]): TakenEdge | null {
  const last = steps.at(-1);
  if (last === undefined) return null;
  const before = steps.findLast(({ seq }) => seq < last.seq);
  const status = before?.meta?.$status;
  return {
    from: before?.role ?? '__start__',
    to: last.role,
    condition: typeof status === 'string' ? status : null,
  };
}
