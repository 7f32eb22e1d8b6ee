export type { ServiceLimits } from './limits.js';
export { type NodeService, type NodeServiceInput, openNodeService } from './node-service.js';
