export { type DirectoryLock, lockDirectory } from './lock-directory.js';
