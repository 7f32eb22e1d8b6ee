import { isProblem, type Problem } from '../problem/index.js';
import type { LinkClock } from './clock.js';
import { createDeferred, type Deferred } from './deferred.js';
import {
  FRAME,
  type Frame,
  type Goaway,
  type GoawayCode,
  type RequestHead,
  type ResetCode,
  type ResponseHead,
} from './frame-types.js';
import { badFrame, decodeFrame, encodeFrame } from './frames.js';
import { encodeOfConnection, encodeReset } from './heads.js';
import { Heartbeat } from './heartbeat.js';
import type { LinkLimits } from './limits.js';
import { Stream, type StreamHost } from './stream.js';
import { Sweep } from './sweep.js';
import { CLOSE_NORMAL, CLOSE_PROTOCOL_ERROR, type Transport } from './transport.js';
import { Writer } from './writer.js';

/** How a link ended. `goaway` is what the other side had said of it, if anything. */
export type LinkEnd = {
  /** `local`: close() here; `peer`: the socket closed; `silent`: nothing was heard; `stalled`: nothing could be sent. */
  readonly cause: 'local' | 'peer' | 'silent' | 'stalled' | 'bad-frame';
  readonly message: string;
  readonly goaway: Goaway | null;
};

export type LinkOptions = {
  readonly transport: Transport;
  readonly clock: LinkClock;
  readonly limits: LinkLimits;
  /** Told once, after every stream has been ended. */
  onClose(end: LinkEnd): void;
  /** The other side will take, or open, no more streams. */
  onGoaway(goaway: Goaway): void;
};

/** What both sides of a link can do. */
export type Mux = {
  /** Streams that are open here, and on the node handlers that have not come to their end. */
  openStreams(): number;
  /** Round trip of the last PING that was answered, ms. */
  rttMs(): number | null;
  /** Whether anything is heard from the other side within `limitMs` from now. Never rejects. */
  probe(limitMs: number): Promise<boolean>;
  /** No new streams; those that are open go on. */
  goaway(code: GoawayCode, message: string): void;
  /** Resolves when no stream is open, when `limitMs` is over, or when the link has ended; never rejects. */
  drained(limitMs: number): Promise<void>;
  /** Ends the link at once, with a GOAWAY (unless there was one); open streams end with `link-lost`. */
  close(code: GoawayCode, message: string): void;
  /** Ends it without a word: the other side is dead. */
  terminate(message: string): void;
  /** How it ended, null while it has not. */
  ended(): LinkEnd | null;
};

/**
 * Receives, keeps the streams, and ends; each side adds what is its own. The receive path only changes state; everything leaves
 * through the writer. A class, because there are thousands: one made of functions took 7 KB more for each link.
 */
export abstract class LinkCore implements Mux, StreamHost {
  readonly clock: LinkClock;
  readonly limits: LinkLimits;
  readonly transport: Transport;
  readonly writer: Writer;
  readonly streams = new Map<number, Stream>();
  readonly #options: Pick<LinkOptions, 'onClose' | 'onGoaway'>;
  readonly #heartbeat: Heartbeat;
  readonly #sweep: Sweep;
  #drains: Set<Deferred<void>> | null = null;
  #highest = 0;
  #end: LinkEnd | null = null;
  #goawaySent: Goaway | null = null;
  #goawaySeen: Goaway | null = null;

  constructor(options: LinkOptions) {
    const { transport, clock, limits } = options;
    this.clock = clock;
    this.limits = limits;
    this.transport = transport;
    this.#options = options;
    this.writer = new Writer(this);
    this.#heartbeat = new Heartbeat(this);
    this.#sweep = new Sweep(this);
    transport.onMessage((message) => this.#receive(message));
    transport.onClose((reason) => {
      const ending = this.#finish('peer', reason, null);
      if (ending !== null) this.#options.onClose(ending);
    });
  }

  /** Whether this side opens the streams: the gateway's does. */
  protected abstract get asks(): boolean;
  /** REQUEST has come: only nodes get it. */
  protected abstract requested(id: number, head: RequestHead): void;
  /** RESPONSE has come: only gateways get it. */
  protected abstract answered(stream: Stream, head: ResponseHead): void;
  protected abstract resetProblem(code: ResetCode, message: string): Problem;
  /** GOAWAY has come. */
  protected abstract heardGoaway(goaway: Goaway): void;
  /** A problem for a stream that the end of the link takes with it. */
  protected abstract lost(stream: Stream, why: string): Problem;
  abstract openStreams(): number;

  rttMs(): number | null {
    return this.#heartbeat.rttMs;
  }

  probe(limitMs: number): Promise<boolean> {
    return this.#heartbeat.probe(limitMs);
  }

  goaway(code: GoawayCode, message: string): void {
    if (this.#end !== null || this.#goawaySent !== null) return;
    this.writer.connection(this.#goawayFrame(code, message));
  }

  async drained(limitMs: number): Promise<void> {
    if (this.#end !== null || this.openStreams() === 0) return;
    const drain = createDeferred<void>();
    const callOff = this.clock.after(limitMs, drain.resolve);
    this.#drains ??= new Set();
    this.#drains.add(drain);
    await drain.promise;
    this.#drains.delete(drain);
    callOff();
  }

  close(code: GoawayCode, message: string): void {
    this.#close('local', code, message);
  }

  terminate(message: string): void {
    this.#fall('local', message);
  }

  ended(): LinkEnd | null {
    return this.#end;
  }

  /** Of the writer: what was handed over does not leave. */
  stalled(): void {
    this.#fall('stalled', 'what was sent did not leave in time');
  }

  /** Of the heartbeat. */
  silent(): void {
    this.#fall('silent', 'nothing was heard from the other side');
  }

  /** Of the heartbeat. */
  ping(nonce: bigint): void {
    this.writer.connection(encodeFrame({ type: FRAME.ping, stream: 0, nonce }));
  }

  /** Of a stream: its number means nothing any more. */
  closed(stream: Stream): void {
    this.streams.delete(stream.id);
    this.freed();
  }

  protected open(id: number): Stream {
    if (id > this.#highest) this.#highest = id;
    const stream = new Stream(id, this);
    this.streams.set(id, stream);
    this.#sweep.start();
    return stream;
  }

  /** What has become free may be all a `drained` waits for. */
  protected freed(): void {
    if (this.#drains === null || this.openStreams() > 0) return;
    for (const drain of this.#drains) drain.resolve();
  }

  /** RESET for a stream that was not taken up. */
  protected refuse(id: number, message: string): void {
    this.writer.reset(encodeReset(id, 'refused', message));
    this.#checkOwed();
  }

  /** Number of the highest stream there has been. */
  protected get highest(): number {
    return this.#highest;
  }

  protected get goawaySent(): Goaway | null {
    return this.#goawaySent;
  }

  /** What the other side has said. */
  protected get goawaySeen(): Goaway | null {
    return this.#goawaySeen;
  }

  /** The one place where a link ends. */
  #finish(
    cause: LinkEnd['cause'],
    message: string,
    last: readonly Uint8Array[] | null,
  ): LinkEnd | null {
    if (this.#end !== null) return null;
    this.#end = { cause, message, goaway: this.#goawaySeen };
    this.#heartbeat.stop();
    this.#sweep.stop();
    this.writer.stop(last);
    for (const stream of [...this.streams.values()]) stream.abandon(this.lost(stream, message));
    for (const drain of this.#drains ?? []) drain.resolve();
    return this.#end;
  }

  #fall(cause: LinkEnd['cause'], message: string): void {
    const ending = this.#finish(cause, message, null);
    if (ending === null) return;
    this.transport.terminate();
    this.#options.onClose(ending);
  }

  #close(cause: LinkEnd['cause'], code: GoawayCode, message: string): void {
    if (this.#end !== null) return;
    const isSaid = this.#goawaySent !== null && code !== 'bad-frame';
    const ending = this.#finish(cause, message, isSaid ? [] : [this.#goawayFrame(code, message)]);
    if (ending === null) return;
    this.transport.close(code === 'bad-frame' ? CLOSE_PROTOCOL_ERROR : CLOSE_NORMAL, code);
    this.#options.onClose(ending);
  }

  #goawayFrame(code: GoawayCode, message: string): Uint8Array {
    const lastStream = this.#goawaySent?.lastStream ?? this.#highest;
    const payload = { code, message, lastStream };
    this.#goawaySent = payload;
    return encodeOfConnection({ type: FRAME.goaway, stream: 0, payload }, this.limits);
  }

  #receive(message: Uint8Array): void {
    if (this.#end !== null) return;
    this.#heartbeat.heard();
    try {
      const frame = decodeFrame(message, this.limits);
      if (frame !== null) this.#handle(frame);
    } catch (error) {
      if (!isProblem(error, 'bad-frame')) throw error;
      this.#close('bad-frame', 'bad-frame', error.message);
    }
  }

  #handle(frame: Frame): void {
    switch (frame.type) {
      case FRAME.data: {
        const stream = this.#living(frame.stream);
        if (stream !== null && frame.bytes.byteLength > 0) this.#takeData(stream, frame.bytes);
        return;
      }
      case FRAME.end: {
        const stream = this.#living(frame.stream);
        if (stream !== null && this.#inOrder(stream, 'END')) stream.ended();
        return;
      }
      case FRAME.credit:
        this.#living(frame.stream)?.outbound.grant(frame.offset);
        return;
      case FRAME.reset: {
        const { code, message } = frame.payload;
        // Nor is `no-error` more than that: the answer before it has come whole.
        this.streams.get(frame.stream)?.abandon(this.resetProblem(code, message));
        return;
      }
      case FRAME.request:
        if (this.asks) throw badFrame('REQUEST from a node');
        if (frame.stream <= this.#highest) throw badFrame(`stream ${frame.stream} opened again`);
        this.#highest = frame.stream;
        this.requested(frame.stream, frame.payload);
        return;
      case FRAME.response: {
        if (!this.asks) throw badFrame('RESPONSE from a gateway');
        const stream = this.#living(frame.stream);
        if (stream !== null) this.answered(stream, frame.payload);
        return;
      }
      case FRAME.ping:
        this.writer.connection(encodeFrame({ type: FRAME.pong, stream: 0, nonce: frame.nonce }));
        this.#checkOwed();
        return;
      case FRAME.pong:
        this.#heartbeat.pong(frame.nonce);
        return;
      case FRAME.goaway:
        this.#goawaySeen = frame.payload;
        this.heardGoaway(frame.payload);
        this.#options.onGoaway(frame.payload);
        return;
      default:
        throw badFrame('a second handshake');
    }
  }

  /** A living stream; null for one that is over. */
  #living(id: number): Stream | null {
    const stream = this.streams.get(id);
    if (stream !== undefined) {
      stream.touch();
      return stream;
    }
    if (id > this.#highest) throw badFrame(`a frame in stream ${id}, which nobody opened`);
    return null;
  }

  #takeData(stream: Stream, bytes: Uint8Array): void {
    if (!this.#inOrder(stream, 'DATA')) return;
    if (stream.inbound.accept(bytes)) return;
    const message = `DATA beyond offset ${stream.inbound.granted}`;
    stream.reset('credit', message, this.resetProblem('credit', message));
  }

  /** Whether DATA or END may come now; a stream that is out of order is given up, the link goes on. */
  #inOrder(stream: Stream, what: string): boolean {
    const early = this.asks && !stream.headSeen;
    if (!early && stream.inbound.state === 'open') return true;
    const message = early ? `${what} before RESPONSE` : `${what} after END`;
    stream.reset('internal', message, this.resetProblem('internal', message));
    return false;
  }

  #checkOwed(): void {
    if (this.writer.owed > this.limits.maxOwedFrames)
      throw badFrame('it asks for answers and does not read them');
  }
}
