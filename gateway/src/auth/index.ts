export { type AuthInput, createAuth } from './create-auth.js';
export { issueToken, revokeToken } from './issue.js';
export { type GatewayKey, KEY_VARIABLE, loadKey } from './key.js';
export { makeDirectory } from './make-directory.js';
export type { Revocation } from './revoked-file.js';
export { type CreatedToken, ROLES, type Role } from './tokens.js';
export type * from './types.js';
