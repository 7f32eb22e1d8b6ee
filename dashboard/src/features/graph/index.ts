export type { GraphProps, RoleState, TakenEdge } from './graph-props.js';
export { WorkflowGraph } from './workflow-graph.js';
