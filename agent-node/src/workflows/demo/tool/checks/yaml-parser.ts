// A bundler that splits its output turns the dynamic import of a CommonJS package into its default export alone; by way
// of this module the names survive.
export { LineCounter, parseAllDocuments } from 'yaml';
