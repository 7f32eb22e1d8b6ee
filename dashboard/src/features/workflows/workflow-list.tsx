import { Link } from '@tanstack/react-router';
import type { WorkflowEntry } from '@uncaged/protocol/api';
import { CircleX } from 'lucide-react';
import { Empty, shortId, Time } from '../../ui/index.js';

const ORIGINS: Record<WorkflowEntry['origin'], string> = {
  builtin: 'built in',
  registry: 'registered',
  project: 'of a project',
  file: 'a file',
  version: 'a version',
};

/** Workflows of a node that can be started by name. */
export function WorkflowList({ node, workflows }: { node: string; workflows: WorkflowEntry[] }) {
  if (workflows.length === 0)
    return (
      <Empty>
        No workflow is registered on {node}. There: <code>uwf workflow add my-workflow.yaml</code>
      </Empty>
    );
  return (
    <ul className="divide-y">
      {workflows.map(({ name, description, origin, kind, hash, timestamp, problem }) => (
        <li key={name}>
          <Link
            to="/nodes/$node/workflows/$name"
            params={{ node, name }}
            className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-3 py-2 hover:bg-hover"
          >
            <span className="min-w-40 font-medium">{name}</span>
            <span className="min-w-0 flex-1 basis-64 text-sm text-muted">
              {problem ? (
                <span className="inline-flex items-center gap-1 text-bad">
                  <CircleX className="size-3.5 shrink-0" aria-hidden />
                  cannot be run: {problem}
                </span>
              ) : (
                (description ?? 'no description')
              )}
            </span>
            <span className="text-sm text-muted">
              {ORIGINS[origin]}
              {kind === 'bundle' && ', bundle'}
            </span>
            {timestamp !== null && <Time at={timestamp} className="text-sm text-muted" />}
            <span className="font-mono text-xs text-muted">
              {hash === null ? '–' : shortId(hash)}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
