/** Every limit of the API, with its unit in the name and its reason beside it; tests inject others. */
export const apiLimits = {
  /** A request's body, bytes: a prompt may have so many; larger things go by ranges or packs. */
  bodyMaxBytes: 16 * 1024 * 1024,
  /** How often the tailer asks whether somebody has written; a look costs microseconds. */
  lookEveryMs: 25,
  /** How often threads of dead owners are looked for while somebody asks or follows. */
  recoverEveryMs: 500,
  /** A comment on an event stream: shorter than the idle time-outs of proxies, 30 s and more. */
  commentEveryMs: 15_000,
  /** What a follower may leave unread before it is cut off, bytes: some hundred events. */
  backlogMaxBytes: 256 * 1024,
  /** A write that meets another one is tried again for so long; the call itself blocks far shorter. */
  busyWaitMs: 5_000,
  /** Between two tries, ms: a commit takes well under one. */
  busyRetryMs: 10,
} as const;

export type ApiLimits = { readonly [K in keyof typeof apiLimits]: number };

/** Events read from the store at a time. */
export const EVENT_PAGE_ROWS = 200;

/** Chunks of live text read at a time. */
export const LIVE_PAGE_ROWS = 200;

/** Running and waiting threads in a snapshot; the counts tell of the rest. */
export const SNAPSHOT_MAX_THREADS = 200;

/** Between two lines of progress, ms: as often as a person can see. */
export const PROGRESS_EVERY_MS = 100;

/** A log file is read in pieces of so many bytes. */
export const LOG_CHUNK_BYTES = 64 * 1024;
