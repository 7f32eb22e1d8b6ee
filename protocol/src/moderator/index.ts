export { checkDefinition } from './check-definition.js';
export { createModerator } from './create-moderator.js';
export { definitionWorkflow, describeDefinition } from './definition-workflow.js';
export { rolePrompt } from './role-prompt.js';
