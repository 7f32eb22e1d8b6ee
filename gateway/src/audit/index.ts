export { createAudit } from './create-audit.js';
export type * from './types.js';
