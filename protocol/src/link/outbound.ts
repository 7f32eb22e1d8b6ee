import type { Problem } from '../problem/index.js';
import { createDeferred, type Deferred } from './deferred.js';
import { Fifo } from './fifo.js';
import type { FramePool } from './frame-pool.js';
import { FRAME, FRAME_HEADER_BYTES } from './frame-types.js';
import { encodeFrame, startData } from './frames.js';
import type { LinkLimits } from './limits.js';

const AT_ONCE = Promise.resolve();

type OutboundOwner = {
  /** The number of the stream. */
  readonly id: number;
  readonly limits: Pick<LinkLimits, 'windowBytes' | 'maxFrameBytes' | 'sendBufferBytes'>;
  readonly frames: FramePool;
  /** There is something to send. */
  wake(): void;
};

/**
 * The sending half of a stream. `open` → `ending` (end() was called, END waits behind the data) → `ended` (END was handed
 * over); from the first two → `failed`.
 */
export class Outbound {
  readonly #owner: OutboundOwner;
  readonly #chunks = new Fifo<Uint8Array>();
  #state: 'open' | 'ending' | 'ended' | 'failed' = 'open';
  #problem: Problem | null = null;
  /** Bytes of the first chunk that have been sent. */
  #chunkOffset = 0;
  #queued = 0;
  #sent = 0;
  #allowed: number;
  /** Null: nobody waits. */
  #writers: Deferred<void>[] | null = null;

  constructor(owner: OutboundOwner) {
    this.#owner = owner;
    this.#allowed = owner.limits.windowBytes;
  }

  /** Nothing will be sent any more. */
  get done(): boolean {
    return this.#state === 'ended' || this.#state === 'failed';
  }

  /** end() was called, or nothing can be sent any more. */
  get closing(): boolean {
    return this.#state !== 'open';
  }

  get hasWork(): boolean {
    if (this.#queued > 0) return this.#sent < this.#allowed;
    return this.#state === 'ending';
  }

  /**
   * Queues a chunk; it must not be changed afterwards. Resolves when little is left in the queue, which is at once as long as
   * the other side reads. Rejects with the `Problem` that ended the stream.
   */
  write(chunk: Uint8Array): Promise<void> {
    if (this.#problem !== null) return Promise.reject(this.#problem);
    if (this.#state !== 'open')
      return Promise.reject(new Error('A body was written to after its end.'));
    if (!(chunk instanceof Uint8Array)) return Promise.reject(new TypeError('A body is bytes.'));
    if (chunk.byteLength === 0) return AT_ONCE;
    this.#chunks.push(chunk);
    this.#queued += chunk.byteLength;
    this.#owner.wake();
    if (this.#queued <= this.#owner.limits.sendBufferBytes) return AT_ONCE;
    const writer = createDeferred<void>();
    this.#writers ??= [];
    this.#writers.push(writer);
    return writer.promise;
  }

  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    this.#owner.wake();
  }

  /** The head said that no body follows: END is not sent for itself. */
  endWithHead(): void {
    this.#state = 'ended';
  }

  /** The other side may be sent bytes up to `offset`; one that is smaller than before says nothing new. */
  grant(offset: number): void {
    if (offset <= this.#allowed) return;
    this.#allowed = offset;
    if (this.hasWork) this.#owner.wake();
  }

  fail(problem: Problem): void {
    if (this.done) return;
    this.#state = 'failed';
    this.#problem = problem;
    this.#chunks.clear();
    this.#queued = 0;
    for (const writer of this.#writers ?? []) writer.reject(problem);
    this.#writers = null;
  }

  /** The next DATA or END, as far as credit goes. */
  next(): Uint8Array | null {
    if (this.#queued === 0) {
      if (this.#state !== 'ending') return null;
      this.#state = 'ended';
      return encodeFrame({ type: FRAME.end, stream: this.#owner.id });
    }
    const credit = this.#allowed - this.#sent;
    const size = Math.min(this.#queued, credit, this.#owner.limits.maxFrameBytes);
    if (size === 0) return null;
    const frame = this.#owner.frames.take(FRAME_HEADER_BYTES + size);
    startData(frame, this.#owner.id);
    this.#fill(frame, size);
    this.#queued -= size;
    this.#sent += size;
    if (this.#queued <= this.#owner.limits.sendBufferBytes) this.#releaseWriters();
    return frame;
  }

  #fill(frame: Uint8Array, size: number): void {
    let filled = 0;
    while (filled < size) {
      const chunk = this.#chunks.peek();
      if (chunk === undefined) throw new Error('Less is queued than was counted.');
      const part = Math.min(size - filled, chunk.byteLength - this.#chunkOffset);
      frame.set(
        chunk.subarray(this.#chunkOffset, this.#chunkOffset + part),
        FRAME_HEADER_BYTES + filled,
      );
      filled += part;
      this.#chunkOffset += part;
      if (this.#chunkOffset < chunk.byteLength) continue;
      this.#chunks.shift();
      this.#chunkOffset = 0;
    }
  }

  #releaseWriters(): void {
    const writers = this.#writers;
    if (writers === null) return;
    this.#writers = null;
    for (const writer of writers) writer.resolve();
  }
}
