export { concurrency } from './concurrency.js';
export { threadDiff } from './diff.js';
export { eventJson, liveJson } from './event.js';
export { lineage } from './lineage.js';
export { readablePayload, readableText } from './readable.js';
export { lossOf, readState, stateOf, stepJson } from './step.js';
export { currentVersion, threadDetail, threadSummary } from './thread.js';
export { stepDetail, traceJson } from './trace.js';
export { workflowDetail, workflowEntry, workflowHistoryItems } from './workflow.js';
