export { createPage } from './create-page.js';
