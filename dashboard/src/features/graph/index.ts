export { lastEdge, litRoles, nextVisit } from './node-state.js';
export { WorkflowGraph } from './workflow-graph.js';
