export { LastSeenThread } from './last-seen-thread.js';
export { LogTab } from './log-tab.js';
export { QueueLine } from './queue-line.js';
export { StepsTab } from './steps-tab.js';
export { ThreadControls } from './thread-controls.js';
export { ThreadFacts, ThreadOrigin } from './thread-facts.js';
export { ThreadGraph } from './thread-graph.js';
export { useSteps, useThread } from './thread-queries.js';
export { splitFrontmatter } from './without-frontmatter.js';
