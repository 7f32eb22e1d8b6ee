/** Limits of a client of the API, with the unit in the name and the reason beside each. */
export const CLIENT_LIMITS = {
  /** Until an answer is there, ms: a gateway gives a node 30 s at most, and its own word has to arrive after that. */
  answerMs: 40_000,
  /** The same where something large is sent first, ms: some GB over a slow line; its progress is the caller's to watch. */
  uploadMs: 24 * 60 * 60 * 1000,
  /** Of an answer that is a failure, bytes: a problem with a long list of findings; more is some proxy's page. */
  problemMaxBytes: 1024 * 1024,
  /** Of an answer that is not understood, characters that are quoted: enough to recognise who sent it. */
  quoteMaxCharacters: 200,
  /** A line of a stream of JSON lines, characters: a log record carries a step's error at most. */
  lineMaxCharacters: 4 * 1024 * 1024,
  /** An event of a stream, characters: the snapshot of a gateway names what runs on every node, about 1 kB each. */
  eventMaxCharacters: 16 * 1024 * 1024,
  /** Silence of a followed stream, ms: comments come every 15 s, so two were missed. */
  silenceMs: 40_000,
  /** First and longest wait before connecting again, ms: a restart takes about a second; nobody waits longer than 10 s. */
  backoffMinMs: 500,
  backoffMaxMs: 10_000,
  /** A stream that stayed open so long, ms, was a good one: the next wait is the first again. */
  steadyMs: 5_000,
  /** A `Retry-After` beyond this, ms, is not believed. */
  retryAfterMaxMs: 60_000,
} as const;
