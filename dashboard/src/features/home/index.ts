export { AwayNotice } from './away-notice.js';
export { ThreadPanel } from './thread-panel.js';
export { TodayPanel } from './today-panel.js';
export { FAILED, RUNNING, STOPPED } from './views.js';
