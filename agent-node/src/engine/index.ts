export { driveThread } from './drive-thread.js';
export type { EngineHost, ThreadControl } from './host.js';
export { endLeftovers } from './leftovers.js';
export type { NestedStart, NestedThreads } from './nested-threads.js';
export { loadThreadContext } from './thread-context.js';
export type { LoadedWorkflow } from './types.js';
