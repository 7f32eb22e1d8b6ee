export { builtinDefinition, builtinNames } from './builtins.js';
export { type AgentChoice, agentBinding, configOf, readConfig } from './config.js';
export { CONCURRENCY_DEFAULT, type Concurrency, type NodeConfig } from './config-schema.js';
export {
  checkDefinitionText,
  type DefinitionSource,
  formatFinding,
  hasErrors,
  readDefinitionFile,
} from './definition-source.js';
export { loadVersion } from './load-version.js';
export { didYouMean, nearNames, quoted } from './near-names.js';
export {
  type AddedWorkflow,
  addDefinition,
  addDefinitionText,
  type ListedVersion,
  type ListedWorkflow,
  listWorkflows,
  registryRoots,
  removeWorkflow,
  rollbackWorkflow,
  type ShownWorkflow,
  showWorkflow,
  workflowHistory,
  workflowSource,
} from './registry.js';
export type { RegistryEntry, RegistryVersion } from './registry-entry.js';
export { editRegistry, type RegistryFile, readRegistry } from './registry-file.js';
export { createRegistryReader, type RegistryReader } from './registry-reader.js';
export {
  type ResolvedWorkflow,
  requireWorkflowName,
  resolveWorkflow,
  type WorkflowOrigin,
} from './resolve-workflow.js';
export type { Position, SourceFinding } from './yaml-source.js';
