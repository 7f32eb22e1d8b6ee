import { Link } from '@tanstack/react-router';

/** Where a view of a node is. */
export function NodeTrail({ node, workflows = false }: { node?: string; workflows?: boolean }) {
  return (
    <nav aria-label="Trail" className="flex flex-wrap gap-1">
      <Link to="/nodes" className="hover:underline">
        Nodes
      </Link>
      {node !== undefined && (
        <>
          <span aria-hidden>/</span>
          <Link to="/nodes/$node" params={{ node }} className="hover:underline">
            {node}
          </Link>
        </>
      )}
      {node !== undefined && workflows && (
        <>
          <span aria-hidden>/</span>
          <Link to="/nodes/$node/workflows" params={{ node }} className="hover:underline">
            Workflows
          </Link>
        </>
      )}
    </nav>
  );
}
