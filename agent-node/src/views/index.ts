export { eventJson, liveJson } from './event.js';
export { stateOf, stepJson } from './step.js';
export { currentVersion, threadDetail, threadSummary } from './thread.js';
export { workflowDetail, workflowEntry, workflowHistoryItems } from './workflow.js';
