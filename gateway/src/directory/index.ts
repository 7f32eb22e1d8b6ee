export { createDirectory, type DirectoryOptions } from './create-directory.js';
export { DIRECTORY_LIMITS, type DirectoryLimits } from './limits.js';
export { machineDetail, machineJson } from './machine-json.js';
export type * from './types.js';
