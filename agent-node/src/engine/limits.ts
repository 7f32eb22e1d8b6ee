/** Shown text of a step in flight is written at most this often; people read no faster. */
export const LIVE_FLUSH_MS = 250;

/** Text of one such write, bytes; of more only the end is kept, the whole comes with the commit. */
export const LIVE_CHUNK_MAX_BYTES = 32 * 1024;

/** `UWF_META` and `UWF_INPUTS` are set up to this size, bytes: one variable may hold 128 KiB on Linux. */
export const ENV_VALUE_MAX_BYTES = 64 * 1024;

/** Times an agent whose answer does not match is asked again. */
export const REASK_MAX = 2;

/** Content of the latest step in an agent's prompt, bytes. */
export const LATEST_CONTENT_MAX_BYTES = 1024 * 1024;

/** Characters of a refused answer that its problem quotes. */
export const ANSWER_QUOTE_CHARS = 2_000;

/** Turns of one step that are kept: an agent at work for hours has some hundred. */
export const TRACE_TURNS_MAX = 1_000;

/** Tool calls of one turn that are kept: agents make a dozen at once at most. */
export const TRACE_CALLS_MAX = 200;

/** One text of a trace, bytes: a large file that a tool has read; more would be of no use to who reads it. */
export const TRACE_TEXT_MAX_BYTES = 4 * 1024 * 1024;

/** All texts of a step's trace, bytes: they are in memory at once and go into one transaction with the step. */
export const TRACE_MAX_BYTES = 32 * 1024 * 1024;

/** Name of a tool, characters. */
export const TRACE_NAME_MAX_CHARS = 200;

/** Attempts at a step whose role has `retry` without `maxAttempts`, the first included: a hiccup, and a second one. */
export const RETRY_ATTEMPTS_DEFAULT = 3;

/** Wait before the second attempt where `retry` has no `backoff`, ms: most overloads of a service pass in that time. */
export const RETRY_BACKOFF_DEFAULT_MS = 5_000;

/** Longest wait between two attempts, ms, unless the role's `backoff` is longer: nobody expects a thread to sleep for hours. */
export const RETRY_BACKOFF_MAX_MS = 5 * 60_000;

/** Times in a row that the same steps make a loop: twice happens when something is tried again. */
export const LOOP_REPEATS = 3;

/** Steps of the longest loop that is seen: more roles than definitions have, several times over. */
export const LOOP_PERIOD_MAX = 32;

/** How often a thread that waits for a nested one looks whether that one's owner is still there, ms. */
export const NESTED_LOOK_MS = 1_000;

/** Times that an attempt puts its interrupted nested thread back into the queue: what ends a worker each time must end. */
export const NESTED_RESUMES_MAX = 3;

/** Of the last answer of a nested thread in that of its step, bytes. */
export const NESTED_ANSWER_MAX_BYTES = 1024 * 1024;
