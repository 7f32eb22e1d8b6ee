export {
  type AcceptedLink,
  type AcceptOptions,
  type Admission,
  acceptLink,
} from './accept-link.js';
export { type LinkBody, toReadableStream } from './body.js';
export type { BodySource } from './body-source.js';
export { createSystemClock, type LinkClock } from './clock.js';
export {
  type ConnectedLink,
  type ConnectOptions,
  connectLink,
} from './connect-link.js';
export {
  type Allow,
  allowSchema,
  type Goaway,
  type GoawayCode,
  type Hello,
  LINK_PROTOCOLS,
  LINK_SUBPROTOCOL,
  type LinkHeaders,
  type RequestHead,
  type ResetCode,
  type ResponseHead,
  type Welcome,
} from './frame-types.js';
export { maxMessageBytes } from './frames.js';
export type { CallOff, GatewayMux, LinkRequest, LinkResponse } from './gateway-side.js';
export { LINK_LIMITS, type LinkLimits } from './limits.js';
export type { LinkEnd, LinkOptions, Mux } from './link-core.js';
export { createMemoryPair, type MemoryPair } from './memory-pair.js';
export type {
  IncomingRequest,
  NodeOptions,
  RequestHandler,
  Respond,
  ResponseWriter,
} from './node-side.js';
export { isNotStarted } from './reset-problem.js';
export {
  type CorkableSocket,
  createSocketTransport,
  type WebSocketLike,
} from './socket-transport.js';
export type { Transport } from './transport.js';
