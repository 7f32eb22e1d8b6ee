export { createRegexEngine } from './regex-engine.js';
