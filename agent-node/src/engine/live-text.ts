import type { ThreadId } from '@uncaged/protocol/ids';
import type { LiveRow, Store } from '../store/index.js';
import { LIVE_CHUNK_MAX_BYTES, LIVE_FLUSH_MS } from './limits.js';

type Kind = LiveRow['kind'];
type Pending = { kind: Kind; chunks: Uint8Array[]; size: number };

/**
 * Text of the step in flight, for those who watch: written at most every LIVE_FLUSH_MS, of a flood only the end. What is
 * lost here is lost to watchers alone; the answer itself goes another way. A step that is over sooner costs nothing.
 */
export class LiveText {
  private readonly decoders = new Map<Kind, InstanceType<typeof TextDecoder>>();
  private pending: Pending[] = [];
  private timer: NodeJS.Timeout | null = null;
  private n = 0;
  private writes: Promise<void> = Promise.resolve();
  private failure: unknown = null;

  constructor(
    private readonly store: Store,
    private readonly thread: ThreadId,
    private readonly seq: number,
  ) {}

  add(kind: Kind, chunk: Uint8Array): void {
    let last = this.pending.at(-1);
    if (last?.kind !== kind) {
      last = { kind, chunks: [], size: 0 };
      this.pending.push(last);
    }
    last.chunks.push(chunk);
    last.size += chunk.length;
    while (last.chunks.length > 1 && last.size - last.chunks[0]!.length >= LIVE_CHUNK_MAX_BYTES)
      last.size -= last.chunks.shift()!.length;
    this.timer ??= setTimeout(() => this.flush(), LIVE_FLUSH_MS);
  }

  /** Stops writing; rejects when an earlier write failed. The commit deletes the rows. */
  async close(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.pending = [];
    await this.writes;
    if (this.failure !== null) throw this.failure;
  }

  private flush(): void {
    this.timer = null;
    const rows = this.pending.map((part) => this.rowOf(part)).filter(({ text }) => text !== '');
    this.pending = [];
    if (rows.length === 0) return;
    const write = this.store.enqueue('normal', () => {
      for (const row of rows) this.store.live.append(row);
    });
    this.writes = Promise.all([this.writes, write]).then(
      () => undefined,
      (error: unknown) => {
        this.failure ??= error;
      },
    );
  }

  private rowOf({ kind, chunks }: Pending): LiveRow {
    const bytes = Buffer.concat(chunks);
    const end = bytes.subarray(Math.max(0, bytes.length - LIVE_CHUNK_MAX_BYTES));
    const decoder = this.decoders.get(kind) ?? new TextDecoder();
    this.decoders.set(kind, decoder);
    const text = decoder.decode(end, { stream: true }).toWellFormed();
    return { thread: this.thread, seq: this.seq, n: ++this.n, kind, text };
  }
}
