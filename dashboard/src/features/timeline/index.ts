export { TimelineTab } from './timeline-tab.js';
