export { FirstNode } from './first-node.js';
export { NodeDetail } from './node-detail.js';
export { NodeList } from './node-list.js';
export { useMachine, useNodes, usualVersion } from './node-queries.js';
