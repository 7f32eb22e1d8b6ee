/** Content of a step in JSON, bytes: enough to read what it is about; the rest is fetched by ranges. */
export const STEP_CONTENT_BYTES = 4 * 1024;

/** Each text of a trace in JSON, bytes: the same measure as a step's content; the node has the rest. */
export const TRACE_TEXT_BYTES = 4 * 1024;

/** Turns of a trace in JSON: more than people read of one step, some MB at most. */
export const TRACE_TURNS_MAX = 200;

/** Tool calls of one turn in JSON. */
export const TRACE_CALLS_MAX = 100;

/** Threads in a lineage: a tree that a person can still look through; one summary each. */
export const LINEAGE_MAX = 500;

/** Steps of a comparison, each with two beginnings of texts: 1.6 MB at most. */
export const DIFF_STEPS_MAX = 200;
