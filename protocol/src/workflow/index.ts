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
  type Definition,
  type DefinitionEdge,
  type DefinitionRole,
  type DefinitionRule,
  definitionSchema,
  edgeSchema,
  roleSchema,
  ruleSchema,
} from './definition.js';
