export { type Colors, createColors, wantsColor } from './color.js';
export { displayWidth, truncateToWidth } from './display-width.js';
export { createOutput, jsonText, type Output, type OutputStream } from './output.js';
export { type Column, renderTable } from './table.js';
export { renderTerminalLine, renderTerminalText } from './terminal-text.js';
export { formatBytes, formatClock, formatDuration, formatTime } from './time.js';
