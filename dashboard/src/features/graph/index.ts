export type { GraphProps, RoleState, TakenEdge } from './graph-props.js';
export { lastEdge, litRoles, nextVisit } from './node-state.js';
export { WorkflowGraph } from './workflow-graph.js';
