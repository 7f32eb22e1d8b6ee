/** Frontmatter of an answer, bytes: metas are small, and a YAML parser is slow. */
export const FRONTMATTER_MAX_BYTES = 256 * 1024;

/** Compiled schemas that are kept: a worker runs a few workflows of some ten roles each. */
export const COMPILED_SCHEMAS_MAX = 200;

/** Findings listed when an answer does not match: an agent corrects a few at a time. */
export const SCHEMA_ERRORS_SHOWN = 10;

/** Characters of a wrong value that are quoted. */
export const VALUE_QUOTE_CHARS = 80;

/** Nesting of a generated example: schemas may refer to themselves. */
export const EXAMPLE_MAX_DEPTH = 8;

/** Alternatives of a schema that get an example each. */
export const EXAMPLES_MAX = 4;
