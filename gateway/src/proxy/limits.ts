const MIB = 1024 * 1024;

/** Limits that are the proxy's own; what an operator or a test may want otherwise is in the gateway's `limits.ts`. */

/** An answer that the gateway reads itself, bytes: a page of 200 threads with long summaries has about one MiB. */
export const ANSWER_MAX_BYTES = 8 * MIB;

/**
 * A node that has only a copy of a thread is believed to be the best there is for so long, ms: a page that shows it asks a few
 * times a second, and a node that is slow would hold up each.
 */
export const COPY_KEPT_MS = 5_000;

/** Copies that are remembered: as many as people look at within that time. */
export const COPIES_MAX = 1_000;

/** Threads looked for at once: each look takes a stream on every link, and those have 256. */
export const LOOKS_MAX = 64;

/**
 * A client that was answered while it was still sending may send so much more, and for so long, before its connection is
 * closed: closed at once, what it has not read yet of the answer would be lost with it (RFC 9112 9.6).
 */
export const LINGER_MAX_BYTES = 32 * MIB;
export const LINGER_MS = 1000;

/** Faults of a node's problem that are passed on. */
export const FAULTS_MAX = 100;
