export { litRoles, nextVisit, takenEdges } from './node-state.js';
export { WorkflowGraph } from './workflow-graph.js';
