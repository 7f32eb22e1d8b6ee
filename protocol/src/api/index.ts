export { type EventJson, eventSchema, eventTypeSchema } from './event.js';
export { type StepJson, stepSchema } from './step.js';
export {
  failureSchema,
  type ThreadDetail,
  type ThreadSummary,
  threadDetailSchema,
  threadStatusSchema,
  threadSummarySchema,
} from './thread.js';
export { timeSchema, toTime, toTimeOrNull } from './time.js';
export {
  type FindingJson,
  findingSchema,
  type WorkflowDetail,
  type WorkflowEntry,
  type WorkflowVersion,
  workflowDetailSchema,
  workflowEntrySchema,
  workflowVersionSchema,
} from './workflow.js';
