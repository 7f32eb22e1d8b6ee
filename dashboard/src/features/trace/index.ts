export { TraceTab } from './trace-tab.js';
