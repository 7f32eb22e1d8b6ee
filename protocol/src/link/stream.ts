import { Problem } from '../problem/index.js';
import type { LinkClock } from './clock.js';
import type { FramePool } from './frame-pool.js';
import { FRAME, type ResetCode } from './frame-types.js';
import { encodeFrame } from './frames.js';
import { encodeReset } from './heads.js';
import { Inbound } from './inbound.js';
import type { LinkLimits } from './limits.js';
import { Outbound } from './outbound.js';
import type { FrameSource, Writer } from './writer.js';

export type StreamHost = {
  readonly clock: LinkClock;
  readonly limits: LinkLimits;
  readonly writer: Writer;
  /** The number means nothing any more. */
  closed(stream: Stream): void;
};

/** What the side that uses a stream is told. */
export type StreamUser = {
  /** It ended before it was through. */
  failed?(problem: Problem): void;
  /** Nothing more can be sent; told at the regular end, too. */
  sendingOver?(): void;
  /** Both ways are through, or it failed. */
  closed?(): void;
};

/**
 * One exchange. It is `open` until both halves are through or it is given up, by this side (`reset`), the other
 * or the end of the link (both `abandon`); then it is `closed` for good. `close` is the only way there.
 */
export class Stream implements FrameSource {
  readonly id: number;
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  user: StreamUser = {};
  /** REQUEST or RESPONSE, until it is handed over. */
  #head: Uint8Array | null = null;
  #headSeen = false;
  #creditDue = false;
  /** The answer is complete before the request is: after END the rest of the request is called off. */
  #callOff = false;
  #problem: Problem | null = null;
  #state: 'open' | 'closed' = 'open';
  readonly #host: StreamHost;
  /** When something last moved, and by when the head of the answer must be there; of the clock, ms. */
  movedAt: number;
  headDueAt: number | null = null;

  constructor(id: number, host: StreamHost) {
    this.id = id;
    this.#host = host;
    this.movedAt = host.clock.now();
    // The stream itself is what its halves tell: some ten functions less to make for each.
    this.outbound = new Outbound(this);
    this.inbound = new Inbound(host.limits.windowBytes, this);
  }

  get limits(): LinkLimits {
    return this.#host.limits;
  }

  get frames(): FramePool {
    return this.#host.writer.frames;
  }

  get open(): boolean {
    return this.#state === 'open';
  }

  /** Why it ended early. */
  get problem(): Problem | null {
    return this.#problem;
  }

  /** The head has been queued (answering side) or received (asking side). */
  get headSeen(): boolean {
    return this.#headSeen;
  }

  /** The head of this side has left it. */
  get headHandedOver(): boolean {
    return this.#head === null;
  }

  touch(): void {
    this.movedAt = this.#host.clock.now();
  }

  /** Of the sending half: there is something to send. */
  wake(): void {
    this.#host.writer.data(this);
  }

  /** Of the receiving half: the sender is to be told how far it may go. */
  creditDue(): void {
    this.#creditDue = true;
    if (this.open) this.#host.writer.control(this);
  }

  /** Of the receiving half: everything has been read. */
  drained(): void {
    this.#closeIfThrough();
  }

  /** Of the receiving half: its reader has left. */
  cancelled(): void {
    this.reset(
      'cancelled',
      'the reader has left',
      new Problem('cancelled', 'The reader of this body has cancelled it.'),
    );
  }

  markHeadSeen(): void {
    this.#headSeen = true;
    this.headDueAt = null;
  }

  sendHead(frame: Uint8Array): void {
    this.#head = frame;
    this.#host.writer.control(this);
  }

  /** The answer is complete: ends sending, and calls off what has not come of the request. */
  finishAnswer(): void {
    if (!this.open) return;
    if (this.inbound.state === 'open') this.#callOff = true;
    if (!this.outbound.closing) this.outbound.end();
    else if (this.#callOff) this.#host.writer.data(this);
  }

  /** Gives the stream up and tells the other side. */
  reset(code: ResetCode, message: string, problem: Problem): void {
    if (!this.open) return;
    const frame = this.#unsent ? null : encodeReset(this.id, code, message);
    this.abandon(problem);
    if (frame !== null) this.#host.writer.reset(frame);
  }

  /** Ends both halves with a problem; nothing is sent. What has come whole, END included, stays readable. */
  abandon(problem: Problem): void {
    if (!this.open) return;
    this.#problem = problem;
    this.#close();
    this.inbound.fail(problem);
    this.outbound.fail(problem);
    this.user.failed?.(problem);
  }

  nextControl(): Uint8Array | null {
    const head = this.#head;
    if (head !== null) {
      this.#head = null;
      this.touch();
      if (this.outbound.done) this.#sent();
      return head;
    }
    if (!this.#creditDue) return null;
    this.#creditDue = false;
    if (this.inbound.state !== 'open') return null;
    this.touch();
    return encodeFrame({ type: FRAME.credit, stream: this.id, offset: this.inbound.granted });
  }

  get hasData(): boolean {
    return this.open && (this.outbound.hasWork || (this.#callOff && this.outbound.done));
  }

  nextData(): Uint8Array | null {
    if (!this.open) return null;
    if (this.#callOff && this.outbound.done) {
      // The request may have come to its end by itself in the meantime; a reset for it is ignored then.
      const frame = encodeReset(this.id, 'no-error', 'the answer is complete');
      this.#close();
      this.inbound.fail(
        new Problem(
          'cancelled',
          'The rest of this request was called off: its answer is complete.',
        ),
      );
      return frame;
    }
    const frame = this.outbound.next();
    if (frame === null) return null;
    this.touch();
    if (this.outbound.done) this.#sent();
    return frame;
  }

  /** END has come. */
  ended(): void {
    this.#callOff = false;
    this.inbound.end();
  }

  get #unsent(): boolean {
    // Only the asking side has a head before it has seen one.
    return this.#head !== null && !this.#headSeen;
  }

  #sent(): void {
    const { clock, limits } = this.#host;
    if (!this.#headSeen) this.headDueAt = clock.now() + limits.headMs;
    this.user.sendingOver?.();
    if (!this.#callOff) this.#closeIfThrough();
  }

  #closeIfThrough(): void {
    if (this.open && this.outbound.done && this.inbound.done && this.#head === null) this.#close();
  }

  #close(): void {
    this.#state = 'closed';
    this.#host.writer.forget(this);
    this.#host.closed(this);
    this.user.closed?.();
  }
}
