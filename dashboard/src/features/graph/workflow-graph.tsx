import { EdgeList } from './edge-list.js';
import type { GraphProps } from './graph-props.js';

/** A workflow: roles, and where control goes. */
export function WorkflowGraph(props: GraphProps) {
  return <EdgeList {...props} />;
}
