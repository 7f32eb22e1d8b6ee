export { checkAgents, checkStartRequest } from './check-request.js';
export {
  type ControlContext,
  killThread,
  pauseThread,
  resumeThread,
  retryThread,
} from './control.js';
export { ensureWorker, hasLiveWorker } from './ensure-worker.js';
export { type ForkPlace, type ForkRequest, forkThread } from './fork-thread.js';
export { type ExecutorLimits, FORK_PROMPT_MAX_BYTES, readLimits } from './limits.js';
export { cleanLogs, type LogFile, listLogs } from './log-files.js';
export { workerFile, workerNodeOptions } from './programs.js';
export { recoverDead } from './recover.js';
export { removeThread } from './remove-thread.js';
export { startEarly } from './start-early.js';
export { type StartRequest, startThread, workerKeyOf } from './start-thread.js';
export { threadLogFile } from './thread-log.js';
export { getThread, requestKill } from './thread-tree.js';
export { VERSION } from './version.js';
export type { WorkerProcess, WorkerProgram } from './worker-process.js';
