export type { Colors } from './color.js';
export { countText } from './count.js';
export { truncateToWidth } from './display-width.js';
export { createOutput, jsonText, type Output, type OutputStream } from './output.js';
export type { Column } from './table.js';
export { renderTerminalLine, renderTerminalText } from './terminal-text.js';
export { formatBytes, formatClock, formatDuration, formatTime, formatTimeShort } from './time.js';
export { wrapToWidth } from './wrap.js';
