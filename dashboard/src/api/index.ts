export { failureText, isLoggedOut, isProblem, mayPass } from './failure.js';
export { getMachine, listNodes } from './nodes.js';
export { keys } from './query-keys.js';
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
