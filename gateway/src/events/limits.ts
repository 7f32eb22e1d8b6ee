/** Limits of the merged stream, with their unit in the name; tests inject others. */
export type EventLimits = {
  /** So old may the snapshot of a node be that a newcomer is given (with what came since), ms: newcomers at once cost one question. */
  refreshMs: number;
  /** From the opening of a node's stream to its snapshot, ms. */
  snapshotMs: number;
  /** Before a node's stream that broke is opened again, ms: the first wait at most, doubled each time, and the longest. */
  reopenMinMs: number;
  reopenMaxMs: number;
  /** A stream that held so long is well, ms: the next wait is a short one again. */
  healthyMs: number;
  /**
   * From an event to the look at what is kept of a node for when it is away, ms, and between two looks: doubled for each that
   * came to nothing, up to the longest.
   */
  seenFirstMs: number;
  seenEveryMs: number;
  seenMaxMs: number;
  /** An event of a node, UTF-16 units: a snapshot with 200 threads has some 300,000. */
  maxEventChars: number;
  /** A JSON answer of a node, bytes: a page of 50 threads has some 100,000. */
  maxJsonBytes: number;
};

const MIB = 1024 * 1024;
const SECOND_MS = 1000;

export const EVENT_LIMITS: EventLimits = {
  refreshMs: 100,
  // The gateway waits less for it before it answers a newcomer; this is when the stream is given up.
  snapshotMs: 10 * SECOND_MS,
  reopenMinMs: 250,
  reopenMaxMs: 15 * SECOND_MS,
  healthyMs: 10 * SECOND_MS,
  seenFirstMs: SECOND_MS,
  // What is shown of a node that is away may be that old; two small questions cost a node next to nothing.
  seenEveryMs: 5 * SECOND_MS,
  seenMaxMs: 120 * SECOND_MS,
  maxEventChars: 4 * MIB,
  maxJsonBytes: 4 * MIB,
};
