import { demoDefinition } from './demo/demo-definition.js';

/** Workflow files that come with the product, by name; YAML text. */
export const builtinSources: ReadonlyMap<string, string> = new Map([['demo', demoDefinition]]);
