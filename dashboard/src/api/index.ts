export { failureText, isLoggedOut, isNoNode, isProblem, mayPass } from './failure.js';
export {
  type Fork,
  forkThread,
  getDiff,
  getLineage,
  getStepDetail,
  getText,
} from './history.js';
export { getMachine, listNodes } from './nodes.js';
export {
  type ImportProgress,
  importPack,
  packPath,
} from './packs.js';
export { keys } from './query-keys.js';
export { newRequestKey } from './request-key.js';
export { getSession, logIn, logOut } from './session.js';
export {
  type Content,
  contentPath,
  getContent,
  getContentTail,
  listSteps,
  type StepPage,
} from './steps.js';
export {
  getLog,
  getSummary,
  getThread,
  type LogRecord,
  listThreads,
  type Order,
  orderThread,
  type RaisedLimits,
  type Start,
  startThread,
  type ThreadFilters,
  type ThreadStatus,
} from './threads.js';
export { getWorkflow, listVersions, listWorkflows, rollBack } from './workflows.js';
