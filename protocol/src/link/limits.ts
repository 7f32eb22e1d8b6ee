/** Every limit of a link. All of them are handed in, so that tests run in milliseconds; `LINK_LIMITS` is what ships. */
export type LinkLimits = {
  /** Between two PINGs of a side, ms. The gateway's value is told to the node in WELCOME. */
  readonly heartbeatMs: number;
  /** Without any frame from the other side, ms: then the link is dead. */
  readonly silenceMs: number;
  /** What was handed to the transport and does not leave the process, ms: then the link is dead. */
  readonly flushMs: number;
  /** Until the socket is open (node) and HELLO has come (gateway), ms. */
  readonly handshakeMs: number;
  /** From HELLO to WELCOME, ms, as the node waits for it: the gateway may have to probe an older link of the same name. */
  readonly admissionMs: number;
  /** From the END of a request to the head of its answer, ms. */
  readonly headMs: number;
  /** A stream on which nothing moves, ms. */
  readonly idleMs: number;
  /** Payload of a DATA frame, bytes. Told in WELCOME. */
  readonly maxFrameBytes: number;
  /** Payload of every frame that is JSON, bytes. */
  readonly maxHeadBytes: number;
  /** What may be sent on a stream, each way, and not yet be read, bytes. Told in WELCOME. */
  readonly windowBytes: number;
  /** Requests at once on a link. Told in WELCOME. */
  readonly maxStreams: number;
  /** Handed to the transport and not yet flushed, bytes. */
  readonly maxUnflushedBytes: number;
  /** Handed to the transport as one write, bytes. */
  readonly batchBytes: number;
  /** Heads and credit waiting, frames, that do not wait for the end of the turn. */
  readonly headsAtOnce: number;
  /** What a writer of a body may leave queued on its stream without waiting, bytes. */
  readonly sendBufferBytes: number;
  /** A request's body unless the request says otherwise, bytes. */
  readonly maxRequestBodyBytes: number;
  /** PONGs and RESETs owed to a peer that does not read them, frames. */
  readonly maxOwedFrames: number;
  /** Number of the last stream a link can open. */
  readonly maxStreamId: number;
};

const KIB = 1024;
const SECOND_MS = 1000;

export const LINK_LIMITS: LinkLimits = {
  // Below the 30 to 60 s after which proxies close what is idle.
  heartbeatMs: 15 * SECOND_MS,
  // Two PINGs may be lost in a stall of the machine; a third is silence.
  silenceMs: 40 * SECOND_MS,
  // As long as silence: a write that stands still is a peer that does not read.
  flushMs: 40 * SECOND_MS,
  // Far above a round trip and TLS, short enough that a hung dial is tried anew soon.
  handshakeMs: 5 * SECOND_MS,
  // The gateway's own 5 s for the probe of an older link, and as much for the way.
  admissionMs: 10 * SECOND_MS,
  // Everything long answers at once and streams; a head that takes longer will not come.
  headMs: 30 * SECOND_MS,
  // Streams of events carry a comment every 15 s; what is silent for so long has been forgotten by its other end.
  idleMs: 5 * 60 * SECOND_MS,
  // Small enough that a token never waits long behind a file, big enough that headers do not count.
  maxFrameBytes: 32 * KIB,
  // What HTTP servers commonly take.
  maxHeadBytes: 16 * KIB,
  // Measured behind 2 MiB/s: a ping takes about 100 ms; 1 MiB made it 300 ms at the same throughput.
  windowBytes: 256 * KIB,
  // A page opens a handful; at this number the windows of a link hold 64 MiB each way at worst.
  maxStreams: 256,
  // Keeps a fast socket busy, and bounds what stands before a PING.
  maxUnflushedBytes: 512 * KIB,
  // A quarter of the above: while one write is flushed, the next is there.
  batchBytes: 128 * KIB,
  // With all 32 requests of a turn in one write, gateway and node waited for each other: 5,500 requests a second; with 8, 6,400.
  headsAtOnce: 8,
  // Two frames: the writer of a body runs just ahead of the socket.
  sendBufferBytes: 64 * KIB,
  // Prompts and definitions are far smaller; what is larger by nature (packs) says so.
  maxRequestBodyBytes: 16 * KIB * KIB,
  // A well-behaved peer is owed at most a RESET for each of its streams; this is a flood.
  maxOwedFrames: 4096,
  // The number is 32 bits wide; then the node dials anew.
  maxStreamId: 0xff_ff_ff_ff,
};
