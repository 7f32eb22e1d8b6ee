export { openStartMemory, type StartMemory } from './start-memory.js';
