export { RoleCard } from './role-card.js';
export { VersionPanel } from './version-list.js';
export { WorkflowList } from './workflow-list.js';
export { useVersions, useWorkflow, useWorkflows } from './workflow-queries.js';
