export { createLinks } from './create-links.js';
export type { LinksOptions } from './options.js';
export type * from './types.js';
