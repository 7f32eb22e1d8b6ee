export { canonicalBytes } from './canonical.js';
export { createNode, deriveRefs } from './create-node.js';
export {
  type Node,
  type NodeType,
  type Payload,
  payloadSchemas,
  refFields,
  type Usage,
  usageSchema,
} from './node-types.js';
export { parseNode } from './parse-node.js';
export { validateNode } from './validate-node.js';
