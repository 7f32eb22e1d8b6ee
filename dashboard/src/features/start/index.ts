export { MoreOptions, NO_OPTIONS, optionsOf } from './more-options.js';
export { StartButton } from './start-button.js';
export { isBelowRoots } from './workspace-roots.js';
