export { driveThread } from './drive-thread.js';
export type { EngineHost, ThreadControl } from './host.js';
export type { LoadedWorkflow } from './types.js';
