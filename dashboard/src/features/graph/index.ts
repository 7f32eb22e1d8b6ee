export { lastEdge, litRoles, nextVisit } from './node-state.js';
export { loadGraph, WorkflowGraph } from './workflow-graph.js';
