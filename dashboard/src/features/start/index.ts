export { StartButton } from './start-button.js';
