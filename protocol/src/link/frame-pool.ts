/** Full DATA frames that have left and can be filled again: a large body would make garbage of each of its frames otherwise. */
export class FramePool {
  readonly #frameBytes: number;
  readonly #maxFrames: number;
  readonly #free: Uint8Array[] = [];

  constructor(frameBytes: number, maxFrames: number) {
    this.#frameBytes = frameBytes;
    this.#maxFrames = maxFrames;
  }

  /** Room for a frame of `size` bytes; what it holds is of no meaning. */
  take(size: number): Uint8Array {
    const free = size === this.#frameBytes ? this.#free.pop() : undefined;
    return free ?? new Uint8Array(size);
  }

  /** Nobody looks at this frame any more. */
  give(frame: Uint8Array): void {
    if (frame.byteLength === this.#frameBytes && this.#free.length < this.#maxFrames) {
      this.#free.push(frame);
    }
  }
}
