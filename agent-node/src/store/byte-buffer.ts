import { BUFFER_START_BYTES } from './limits.js';

/** Bytes that come in chunks, up to a limit; grows by doubling, so that small outputs cost little. */
export class ByteBuffer {
  private bytes = new Uint8Array(BUFFER_START_BYTES);
  private used = 0;

  constructor(private readonly limit: number) {}

  get length(): number {
    return this.used;
  }

  /** Takes what fits; returns how much that was. */
  append(chunk: Uint8Array): number {
    const taken = Math.min(chunk.length, this.limit - this.used);
    this.reserve(this.used + taken);
    this.bytes.set(chunk.subarray(0, taken), this.used);
    this.used += taken;
    return taken;
  }

  /** Drops the first `count` bytes. */
  drop(count: number): void {
    this.bytes.copyWithin(0, count, this.used);
    this.used -= count;
  }

  /** A view; the next call changes it. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.used);
  }

  private reserve(size: number): void {
    if (size <= this.bytes.length) return;
    const grown = new Uint8Array(Math.min(this.limit, Math.max(size, this.bytes.length * 2)));
    grown.set(this.view());
    this.bytes = grown;
  }
}
