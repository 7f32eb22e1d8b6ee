export type { ClientClock } from './clock.js';
export {
  type ClientOptions,
  createGatewayClient,
  createNodeClient,
  type GatewayClient,
  type NodeClient,
} from './create-client.js';
export {
  type FollowEnd,
  type FollowLimits,
  type FollowOptions,
  type FollowState,
  followEvents,
} from './follow-events.js';
export type { CallAnswer, CallInput } from './operation.js';
export type { Fetch } from './send.js';
export { createSseParser, type SseMessage, type SseParser } from './sse-parser.js';
export type { GatewayMessage, NodeMessage, ThreadMessage } from './stream-message.js';
export type { UploadBody } from './upload-body.js';
