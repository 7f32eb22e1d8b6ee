export { NodeDetail } from './node-detail.js';
export { NodeList, NoNodes } from './node-list.js';
export { useMachine, useNodes, usualVersion } from './node-queries.js';
