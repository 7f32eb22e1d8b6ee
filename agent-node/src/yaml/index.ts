export { type Composed, type ComposeOptions, composeYaml } from './compose.js';
