export { Markdown } from './markdown.js';
export { PlainText } from './plain-text.js';
