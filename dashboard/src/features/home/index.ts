export { AwayNotice } from './away-notice.js';
export { ThreadPanel } from './thread-panel.js';
export { TodayPanel } from './today-panel.js';
export { COMPLETED, FAILED, RUNNING, STOPPED } from './views.js';
