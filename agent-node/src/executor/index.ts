export { checkStartRequest } from './check-request.js';
export {
  type ControlContext,
  getThread,
  killThread,
  pauseThread,
  requestKill,
  resumeThread,
} from './control.js';
export { ensureWorker, hasLiveWorker, type WorkerProgram } from './ensure-worker.js';
export { type ExecutorLimits, readLimits } from './limits.js';
export { workerFile, workerNodeOptions } from './programs.js';
export { recoverDead } from './recover.js';
export { removeThread } from './remove-thread.js';
export { type StartRequest, startThread } from './start-thread.js';
export { threadLogFile } from './thread-log.js';
export { VERSION } from './version.js';
