export { type CasAccess, resolveCasRefs } from './cas-refs.js';
export { type Extraction, type ExtractRequest, extractMeta } from './extract.js';
export type { JsonObject } from './json-value.js';
export { createPreviousSteps, type PreviousStep, type PreviousSteps } from './previous-steps.js';
export { assemblePrompt, type PromptParts } from './prompt.js';
export { createValidator, schemaFault, type Validator } from './schema.js';
export { readScriptAnswer, type ScriptAnswer, type ScriptOutput } from './script-answer.js';
