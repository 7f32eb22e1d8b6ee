/** Limits of what a gateway remembers of its nodes; tests inject others. */
export type DirectoryLimits = {
  /** Nodes known, as far as they are not online: who holds the key could invent any number. */
  readonly nodesMax: number;
  /** Threads whose node is remembered: some 10 MB; what is forgotten is asked for again. */
  readonly hostsMax: number;
  /** Threads last seen, of a node: what a page shows. */
  readonly seenThreadsMax: number;
  /** What is kept of the threads last seen, of a node, characters of JSON: their summaries have no limit of their own. */
  readonly seenMaxCharacters: number;
  /** Between a change and its writing, ms: one write for all that changes in a second. */
  readonly writeAfterMs: number;
  /** Writing may take this share of the time at most, as a part of one: a thousand nodes make a file of megabytes. */
  readonly writeShareMax: number;
  /** Until a write that failed is tried again, ms. */
  readonly retryAfterMs: number;
  /** Handed to the file at once, characters. */
  readonly batchCharacters: number;
};

const KIB = 1024;
const SECOND_MS = 1000;

export const DIRECTORY_LIMITS: DirectoryLimits = {
  nodesMax: 10_000,
  hostsMax: 100_000,
  seenThreadsMax: 50,
  seenMaxCharacters: 256 * KIB,
  writeAfterMs: SECOND_MS,
  writeShareMax: 0.1,
  retryAfterMs: 10 * SECOND_MS,
  batchCharacters: 256 * KIB,
};
