/** Every limit of `uwf serve`, with its unit in the name and its reason beside it; tests inject others. */
export const serveLimits = {
  /** Wrong tokens from one address before it has to wait, and for how long they count. */
  failuresMax: 10,
  failureWindowMs: 60_000,
  /** Addresses whose failures are remembered at once; beyond that the oldest are forgotten. */
  addressesMax: 1_000,
  /** A request's head: a client that takes longer holds a connection for nothing. */
  headersTimeoutMs: 10_000,
  /** A whole request: 16 MiB of prompt over a slow line. Not of an upload. */
  requestTimeoutMs: 300_000,
  /** An upload may take as long as it likes while it moves; a line that was lost is silent for longer than one that is slow. */
  uploadSilenceMs: 60_000,
  /** How often connections are held against these two. */
  connectionsCheckMs: 2_000,
  /** A connection between two requests: longer than browsers wait between two polls. */
  keepAliveMs: 10_000,
  /** On stopping, answers that are on their way may go on for so long. */
  drainMs: 500,
} as const;

export type ServeLimits = { readonly [K in keyof typeof serveLimits]: number };

/** A token, characters: as the gateway asks of its key. */
export const TOKEN_MIN_CHARACTERS = 16;
/** As a log-in may carry. */
export const TOKEN_MAX_CHARACTERS = 4096;
/** The body of a log-in: nobody has shown yet who it is that sends it. */
export const LOGIN_MAX_BYTES = 32 * 1024;
/** Of a token that is made: cannot be guessed. */
export const TOKEN_BYTES = 32;

/** Threads that the detail of a node shows. */
export const MACHINE_THREADS_MAX = 50;
