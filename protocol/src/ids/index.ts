export { decodeHash, encodeHash, type Hash, hashSchema } from './hash.js';
export { type Hasher, loadHasher } from './hasher.js';
export {
  agentNameSchema,
  END,
  FORK,
  labelsSchema,
  nodeNameSchema,
  principalNameSchema,
  roleNameSchema,
  START,
  workflowNameSchema,
} from './names.js';
export { createThreadId, type ThreadId, threadIdSchema } from './thread-id.js';
