export { END, START } from '../ids/index.js';
export type { Adapter, AdapterResult, AdapterRole } from './adapter.js';
export type {
  Meta,
  Moderator,
  Next,
  RoleOutput,
  RunRoleRequest,
  RunRoleResult,
  Step,
  ThreadContext,
  ThreadStart,
  WorkflowResult,
  WorkflowRun,
  WorkflowRuntime,
} from './contract.js';
export {
  createWorkflow,
  defineWorkflow,
  type WorkflowBinding,
  type WorkflowDefinition,
} from './create-workflow.js';
export {
  type Definition,
  type DefinitionEdge,
  type DefinitionRole,
  type DefinitionRule,
  definitionSchema,
  edgeSchema,
  roleSchema,
  ruleSchema,
} from './definition.js';
export { type ParsedDefinition, parseDefinitionFile } from './definition-file.js';
export {
  ANY_STATUS,
  type DefinitionFile,
  definitionFileJsonSchema,
  definitionFileSchema,
} from './definition-file-schema.js';
export {
  buildDescriptor,
  type Descriptor,
  type DescriptorEdge,
  type DescriptorRole,
  descriptorEdgeSchema,
  descriptorSchema,
  validateDescriptor,
} from './descriptor.js';
export { parseDuration } from './duration.js';
export { errorFinding, type Finding, findingSchema, warningFinding } from './finding.js';
export { nearestName } from './nearest-name.js';
export type {
  JsonSchema,
  MetaOf,
  RoleDefinition,
  RoleDefinitions,
  RoleSchema,
} from './role-definition.js';
export { fromFileName, toFileName } from './sentinels.js';
export {
  type Condition,
  FALLBACK,
  type ModeratorTable,
  type StepOf,
  type TableContext,
  type TableRow,
  tableModerator,
} from './table.js';
export { type ValueFault, valueFaults } from './value-faults.js';
