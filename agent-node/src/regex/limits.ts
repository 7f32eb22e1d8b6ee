/** One match, ms: a real one takes microseconds, and all threads of the worker wait for it. */
export const REGEX_MAX_MS = 250;
