export { MoreOptions, NO_OPTIONS, optionsOf } from './more-options.js';
export { loadStartForm, StartButton } from './start-button.js';
