export { authorizePrincipal } from './authorization.js';
export type { Authorize, Caller, Log, NodeIdentity } from './context.js';
export { createNodeApi, type NodeApi, type NodeApiInput } from './create-node-api.js';
export { type ApiLimits, apiLimits } from './limits.js';
export type { ApiEnv } from './mount.js';
export { problemResponse } from './problem-response.js';
export { type RequestLine, rawTarget } from './request-line.js';
