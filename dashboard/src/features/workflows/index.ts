export { RoleCard } from './role-card.js';
export { type Schema, typeInWords } from './schema-rows.js';
export { SchemaTable } from './schema-table.js';
export { VersionPanel } from './version-list.js';
export { WorkflowList } from './workflow-list.js';
export { useWorkflow, useWorkflows } from './workflow-queries.js';
