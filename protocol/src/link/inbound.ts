import type { Problem } from '../problem/index.js';
import type { LinkBody } from './body.js';
import { createDeferred, type Deferred } from './deferred.js';

/** Chunks that together stay below this are kept in one piece, bytes: a window of single bytes must not cost a hundred times its size. */
const PIECE_BYTES = 4096;
/** A view may keep this many times its own size in memory; beyond that it is copied. */
const MAX_SLACK = 3;
const EMPTY = new Uint8Array(0);

type InboundOwner = {
  /** `granted` has grown: the sender is to be told. */
  creditDue(): void;
  /** Everything has been read, or is not wanted any more. */
  drained(): void;
  /** The reader does not want the rest. */
  cancelled(): void;
  /** The reader has taken something. */
  touch(): void;
};

/**
 * The receiving half of a stream. `open` → `ended` (END has come; what is buffered may still be read) or `failed`.
 * Credit is granted as the consumer reads, once half of the window is free.
 */
export class Inbound implements LinkBody {
  readonly #owner: InboundOwner;
  readonly #window: number;
  #state: 'open' | 'ended' | 'failed' = 'open';
  #problem: Problem | null = null;
  #chunks: Uint8Array[] = [];
  /** Bytes in the last chunk when that is a piece of ours with room behind them, else 0. */
  #pieceUsed = 0;
  #buffered = 0;
  #received = 0;
  #granted: number;
  #reader: Deferred<Uint8Array | null> | null = null;

  constructor(windowBytes: number, owner: InboundOwner) {
    this.#owner = owner;
    this.#window = windowBytes;
    this.#granted = windowBytes;
  }

  get state(): 'open' | 'ended' | 'failed' {
    return this.#state;
  }

  /** Nothing will come any more and nothing is left to read. */
  get done(): boolean {
    return this.#state === 'failed' || (this.#state === 'ended' && this.#buffered === 0);
  }

  /** Bytes received and not read. */
  get buffered(): number {
    return this.#buffered;
  }

  /** Offset up to which the other side may send. */
  get granted(): number {
    return this.#granted;
  }

  /** Takes what came; false when it goes beyond what was granted (nothing is kept then). */
  accept(bytes: Uint8Array): boolean {
    if (this.#received + bytes.byteLength > this.#granted) return false;
    this.#received += bytes.byteLength;
    const reader = this.#reader;
    if (reader === null) {
      this.#keep(bytes);
    } else {
      this.#reader = null;
      this.#consumed();
      reader.resolve(bytes);
    }
    return true;
  }

  end(): void {
    this.#state = 'ended';
    this.#reader?.resolve(null);
    this.#reader = null;
    if (this.#buffered === 0) this.#owner.drained();
  }

  /** Ends it early. What came whole (END is here) stays readable. */
  fail(problem: Problem): void {
    if (this.#state !== 'open') return;
    this.#state = 'failed';
    this.#problem = problem;
    this.#drop();
    this.#reader?.reject(problem);
    this.#reader = null;
  }

  /** Lets go of what nobody will read. */
  discard(): void {
    if (this.#buffered === 0) return;
    this.#drop();
    if (this.#state === 'ended') this.#owner.drained();
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#reader !== null) throw new Error('A body is read one call at a time.');
    if (this.#problem !== null) throw this.#problem;
    const chunk = this.#shift();
    if (chunk !== null) return chunk;
    if (this.#state === 'ended') return null;
    this.#reader = createDeferred();
    return this.#reader.promise;
  }

  takeRest(): Uint8Array | null {
    if (this.#state !== 'ended' || this.#reader !== null) return null;
    if (this.#buffered === 0) return EMPTY;
    const first = this.#chunks.length === 1 ? this.#shift() : null;
    if (first !== null) return first;
    const rest = new Uint8Array(this.#buffered);
    let offset = 0;
    for (let chunk = this.#shift(); chunk !== null; chunk = this.#shift()) {
      rest.set(chunk, offset);
      offset += chunk.byteLength;
    }
    return rest;
  }

  cancel(): void {
    if (this.done) return;
    if (this.#state === 'open') this.#owner.cancelled();
    else this.discard();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (let chunk = await this.read(); chunk !== null; chunk = await this.read()) yield chunk;
    } finally {
      this.cancel();
    }
  }

  #keep(bytes: Uint8Array): void {
    const size = bytes.byteLength;
    this.#buffered += size;
    const last = this.#chunks.at(-1);
    if (this.#pieceUsed > 0 && last !== undefined && this.#pieceUsed + size <= last.byteLength) {
      last.set(bytes, this.#pieceUsed);
      this.#pieceUsed += size;
      return;
    }
    if (this.#pieceUsed === 0 && last !== undefined && last.byteLength + size <= PIECE_BYTES) {
      const piece = new Uint8Array(PIECE_BYTES);
      piece.set(last);
      piece.set(bytes, last.byteLength);
      this.#pieceUsed = last.byteLength + size;
      this.#chunks[this.#chunks.length - 1] = piece;
      return;
    }
    this.#closePiece();
    // A small view of a large read of the socket would hold all of it.
    const slack = bytes.buffer.byteLength > size * MAX_SLACK;
    this.#chunks.push(slack ? new Uint8Array(bytes) : bytes);
  }

  /** What follows goes behind the piece, not into it. */
  #closePiece(): void {
    const last = this.#chunks.at(-1);
    if (this.#pieceUsed === 0 || last === undefined) return;
    this.#chunks[this.#chunks.length - 1] = last.subarray(0, this.#pieceUsed);
    this.#pieceUsed = 0;
  }

  #shift(): Uint8Array | null {
    if (this.#chunks.length === 1) this.#closePiece();
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return null;
    this.#buffered -= chunk.byteLength;
    this.#consumed();
    if (this.#state === 'ended' && this.#buffered === 0) this.#owner.drained();
    return chunk;
  }

  #consumed(): void {
    this.#owner.touch();
    if (this.#state !== 'open') return;
    const free = this.#received - this.#buffered + this.#window;
    if ((free - this.#granted) * 2 < this.#window) return;
    this.#granted = free;
    this.#owner.creditDue();
  }

  #drop(): void {
    this.#chunks = [];
    this.#pieceUsed = 0;
    this.#buffered = 0;
  }
}
