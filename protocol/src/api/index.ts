export { isProblem, Problem } from '../problem/index.js';
export {
  type CasEntry,
  type CasNode,
  casEntrySchema,
  casNodeSchema,
  nodeTypeSchema,
} from './cas.js';
export {
  type CallAnswer,
  type CallInput,
  type ClientClock,
  type ClientOptions,
  createGatewayClient,
  createNodeClient,
  createSseParser,
  type Fetch,
  type FollowEnd,
  type FollowLimits,
  type FollowOptions,
  type FollowState,
  followEvents,
  type GatewayClient,
  type GatewayMessage,
  type NodeClient,
  type NodeMessage,
  type SseMessage,
  type SseParser,
  type ThreadMessage,
} from './client/index.js';
export {
  type DoneJson,
  doneSchema,
  type EventJson,
  eventSchema,
  eventTypeSchema,
  type LiveJson,
  liveSchema,
  type ResyncJson,
  resyncSchema,
  type SnapshotJson,
  snapshotSchema,
} from './event.js';
export {
  type GatewaySnapshotJson,
  gatewaySnapshotSchema,
  type NodeDownJson,
  type NodeUpJson,
  nodeDownSchema,
  nodeUpSchema,
  type PlacedEventJson,
  type PlacedLiveJson,
  placedEventSchema,
  placedLiveSchema,
} from './gateway-event.js';
export {
  type DiffSide,
  type Lineage,
  lineageSchema,
  type Relative,
  type ThreadDiff,
  threadDiffSchema,
} from './history.js';
export { listSchema, pageFields } from './list.js';
export {
  type AuditRecord,
  auditRecordSchema,
  type MachineDetail,
  type MachineJson,
  machineDetailSchema,
  machineSchema,
  type PlacedThread,
  placedThreadSchema,
  type SessionJson,
  sessionSchema,
} from './machine.js';
export { type NodeJson, nodeSchema } from './node.js';
export { problemSchema } from './problem.js';
export { type Route, type RouteResponse, route } from './route.js';
export { type GatewayRouteName, type GatewayRoutes, gatewayRoutes } from './routes/gateway.js';
export { PACK_MEDIA_TYPE } from './routes/packs.js';
export { type RouteName, type Routes, routes } from './routes/routes.js';
export { type ForkThread, idempotencyKeySchema, type StartThread } from './routes/threads.js';
export { type StepJson, stepSchema } from './step.js';
export type { Damage, GcLine, ImportLine, VerifyLine } from './store-work.js';
export {
  failureSchema,
  type ThreadDetail,
  type ThreadOrder,
  type ThreadSummary,
  threadDetailSchema,
  threadOrderSchema,
  threadStatusSchema,
  threadSummarySchema,
} from './thread.js';
export { timeSchema, toTime, toTimeOrNull } from './time.js';
export { type StepDetail, stepDetailSchema, type Trace, traceSchema } from './trace.js';
export {
  type FindingJson,
  findingSchema,
  type WorkflowDetail,
  type WorkflowEntry,
  type WorkflowHistoryItem,
  type WorkflowVersion,
  workflowDetailSchema,
  workflowEntrySchema,
  workflowHistoryItemSchema,
  workflowVersionSchema,
} from './workflow.js';
