export { builtinSources } from './builtin-sources.js';
