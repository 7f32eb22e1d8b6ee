export { ThreadPanel } from './thread-panel.js';
export { TodayPanel } from './today-panel.js';
