export { type ConnectNodeInput, connectNode } from './connect-node.js';
export type { ConnectionState } from './connection.js';
export { type NodeLinkLimits, readLinkLimits } from './limits.js';
export { isLoopback } from './proxy.js';
export type { RequestApp } from './serve-request.js';
