import type { LinkClock } from './clock.js';
import { Deadline } from './deadline.js';
import { Fifo } from './fifo.js';
import { FramePool } from './frame-pool.js';
import { FRAME_HEADER_BYTES } from './frame-types.js';
import { maxMessageBytes } from './frames.js';
import type { LinkLimits } from './limits.js';
import type { Transport } from './transport.js';

const THIS_JOB = Promise.resolve();

/** A stream as the writer sees it: it is asked for one frame at a time. */
export type FrameSource = {
  /** Head and credit: small, and somebody waits for them. */
  nextControl(): Uint8Array | null;
  nextData(): Uint8Array | null;
  readonly hasData: boolean;
};

type WriterOwner = {
  readonly transport: Transport;
  readonly clock: LinkClock;
  readonly limits: LinkLimits;
  /** What was handed over does not leave the process. */
  stalled(): void;
};

/**
 * The one place that sends. Everyone else only says what there is to send; at the end of the turn it is handed over together,
 * so that an answer made in one turn is one write. First what concerns the connection, then what streams owe each other
 * (resets, heads, credit), then data, a frame of each stream in turn.
 */
export class Writer {
  readonly #owner: WriterOwner;
  readonly #connection = new Fifo<Uint8Array>();
  readonly #resets = new Fifo<Uint8Array>();
  // Sets keep the order in which their members came.
  readonly #control = new Set<FrameSource>();
  readonly #data = new Set<FrameSource>();
  #unflushed = 0;
  #flushing: Deadline | null = null;
  #scheduled = false;
  #hurried = false;
  #stopped = false;

  #frames: FramePool | null = null;

  constructor(owner: WriterOwner) {
    this.#owner = owner;
  }

  /** Where data frames are taken from, and go back to once they have left. */
  get frames(): FramePool {
    const { maxFrameBytes, maxUnflushedBytes } = this.#owner.limits;
    this.#frames ??= new FramePool(
      FRAME_HEADER_BYTES + maxFrameBytes,
      Math.ceil(maxUnflushedBytes / maxFrameBytes),
    );
    return this.#frames;
  }

  /** Handed to the transport and not yet flushed, bytes. */
  get unflushed(): number {
    return this.#unflushed;
  }

  get #hasWork(): boolean {
    return this.owed > 0 || this.#control.size > 0 || this.#data.size > 0;
  }

  /** Frames waiting that do not belong to a living stream. */
  get owed(): number {
    return this.#connection.length + this.#resets.length;
  }

  connection(frame: Uint8Array): void {
    this.#connection.push(frame);
    this.#schedule();
  }

  reset(frame: Uint8Array): void {
    this.#resets.push(frame);
    this.#schedule();
  }

  control(source: FrameSource): void {
    this.#control.add(source);
    this.#schedule();
  }

  data(source: FrameSource): void {
    this.#data.add(source);
    this.#schedule();
  }

  /** Nothing of this stream is sent any more. */
  forget(source: FrameSource): void {
    this.#control.delete(source);
    this.#data.delete(source);
  }

  /**
   * Ends the writing. What the connection still has to say, and then these frames, go out; null: nothing does, the other side
   * is dead.
   */
  stop(lastFrames: readonly Uint8Array[] | null): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#flushing?.stop();
    if (lastFrames !== null) {
      const waiting = Array.from(
        { length: this.#connection.length },
        () => this.#connection.shift()!,
      );
      const frames = [...waiting, ...lastFrames];
      if (frames.length > 0) this.#owner.transport.send(frames, () => undefined);
    }
    this.#connection.clear();
    this.#resets.clear();
    this.#control.clear();
    this.#data.clear();
  }

  #schedule(): void {
    if (this.#stopped) return;
    if (this.#control.size >= this.#owner.limits.headsAtOnce) this.#hurry();
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#owner.clock.soon(() => {
      this.#scheduled = false;
      this.#drain();
    });
  }

  /** Many are waiting: they leave as soon as what runs now is through, whatever else this turn of the process still has to do. */
  #hurry(): void {
    if (this.#hurried) return;
    this.#hurried = true;
    void THIS_JOB.then(() => {
      this.#hurried = false;
      this.#drain();
    });
  }

  #drain(): void {
    const { limits } = this.#owner;
    // Before a frame is asked for there must be room for the largest.
    const fullAt = Math.max(1, limits.maxUnflushedBytes - maxMessageBytes(limits));
    while (!this.#stopped && this.#unflushed < fullAt) {
      const batch: Uint8Array[] = [];
      let size = 0;
      while (size < limits.batchBytes && this.#unflushed + size < fullAt) {
        const frame = this.#next();
        if (frame === null) break;
        batch.push(frame);
        size += frame.byteLength;
      }
      if (batch.length === 0) return;
      this.#handOver(batch, size);
    }
  }

  #handOver(batch: readonly Uint8Array[], size: number): void {
    const { transport, clock, limits } = this.#owner;
    this.#unflushed += size;
    this.#flushing ??= new Deadline(clock, limits.flushMs, () => this.#owner.stalled());
    this.#flushing.resume();
    transport.send(batch, () => {
      this.#unflushed -= size;
      if (this.#frames !== null) for (const frame of batch) this.#frames.give(frame);
      this.#flushing?.touch();
      if (this.#unflushed === 0) this.#flushing?.pause();
      if (this.#hasWork) this.#schedule();
    });
  }

  #next(): Uint8Array | null {
    const frame = this.#connection.shift() ?? this.#resets.shift();
    if (frame !== undefined) return frame;
    for (const source of this.#control) {
      const control = source.nextControl();
      if (control !== null) return control;
      this.#control.delete(source);
    }
    for (const source of this.#data) {
      this.#data.delete(source);
      const data = source.nextData();
      if (source.hasData) this.#data.add(source);
      if (data !== null) return data;
    }
    return null;
  }
}
