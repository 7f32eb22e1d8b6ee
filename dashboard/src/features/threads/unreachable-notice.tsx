import { Link } from '@tanstack/react-router';
import { Notice } from '../../ui/index.js';

/** Names the nodes that did not answer: a list without them must not look whole. */
export function UnreachableNotice({ nodes, className }: { nodes: string[]; className?: string }) {
  if (nodes.length === 0) return null;
  return (
    <Notice kind="warning" className={className ?? ''}>
      {nodes.map((node, index) => (
        <span key={node}>
          {index > 0 && ', '}
          <Link to="/nodes/$node" params={{ node }} className="font-medium underline">
            {node}
          </Link>
        </span>
      ))}{' '}
      {nodes.length === 1 ? 'does not answer' : 'do not answer'}: of
      {nodes.length === 1 ? ' its' : ' their'} threads only the newest are here, as they were last
      seen.
    </Notice>
  );
}
