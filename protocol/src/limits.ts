/** Every limit two parties must agree on, with its unit in the name and its reason beside it. */

/** A `content` node's text, UTF-8 bytes. Longer text becomes `parts`: one 200 MB node took 1.9 GB of memory to read. */
export const CONTENT_MAX_BYTES = 1024 * 1024;

/** Nesting of JSON at the edges: canonicalisation recurses, and nobody means more. */
export const JSON_MAX_DEPTH = 256;

/** Nearest earlier states a state names: enough to skip along a long chain, small enough to stay under 1 KB. */
export const ANCESTORS_MAX = 11;

/** Output of one step, bytes. More is a runaway program, not an answer. */
export const OUTPUT_MAX_BYTES = 256 * 1024 * 1024;

/** Steps of a thread unless the workflow or the start says otherwise. */
export const MAX_STEPS_DEFAULT = 50;

/** Text of a `run:` script, bytes: it is one argument of the shell, and Linux allows 128 KiB for one. */
export const SCRIPT_MAX_BYTES = 64 * 1024;

/** A workflow file, bytes: far above any real one, far below what would stall the parser. */
export const DEFINITION_MAX_BYTES = 1024 * 1024;

/** A user's prompt, bytes. */
export const PROMPT_MAX_BYTES = 16 * 1024 * 1024;

/** Metas of earlier steps in an agent's prompt, bytes. */
export const PREVIOUS_STEPS_MAX_BYTES = 16 * 1024;

/** Entries of a page of any list unless asked otherwise, and at most. */
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;

/** Evaluation of one JSONata rule: entries of its evaluator (100,000 take about 170 ms). */
export const RULE_MAX_ENTRIES = 100_000;

/** Keys, items and scalars of a workflow file once its aliases are followed: a small file can say a great many. */
export const DEFINITION_MAX_VALUES = 100_000;

/** A duration in a workflow file, ms: what a timer can hold (2^31 - 1, about 24 days); a longer one fires at once. */
export const DURATION_MAX_MS = 2_147_483_647;

/** A `$status`, characters: it is a word that edges are named after. */
export const STATUS_MAX_CHARACTERS = 63;
