import type { ThreadId } from '@uncaged/protocol/ids';
import type { Store } from '../store/index.js';
import { LIVE_CHUNK_MAX_BYTES, LIVE_FLUSH_MS } from './limits.js';

type Kind = 'text' | 'stderr';

/**
 * Text of the step in flight, for those who watch: written at most every LIVE_FLUSH_MS, of a flood only the end.
 * What is lost here is lost to watchers alone; the answer itself goes another way.
 */
export class LiveText {
  private readonly decoders = { text: new TextDecoder(), stderr: new TextDecoder() };
  private readonly pending: { kind: Kind; text: string }[] = [];
  private timer: NodeJS.Timeout | null = null;
  private n = 0;
  private flushing: Promise<void> = Promise.resolve();
  private failure: unknown = null;

  constructor(
    private readonly store: Store,
    private readonly thread: ThreadId,
    private readonly seq: number,
  ) {}

  add(kind: Kind, chunk: Uint8Array): void {
    const end =
      chunk.length > LIVE_CHUNK_MAX_BYTES
        ? chunk.subarray(chunk.length - LIVE_CHUNK_MAX_BYTES)
        : chunk;
    const text = this.decoders[kind].decode(end, { stream: true });
    const last = this.pending.at(-1);
    if (last?.kind === kind) last.text = (last.text + text).slice(-LIVE_CHUNK_MAX_BYTES);
    else this.pending.push({ kind, text });
    this.timer ??= setTimeout(() => this.flush(), LIVE_FLUSH_MS);
  }

  /** Stops writing; rejects when an earlier write failed. The commit deletes the rows. */
  async close(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.pending.length = 0;
    await this.flushing;
    if (this.failure !== null) throw this.failure;
  }

  private flush(): void {
    this.timer = null;
    const rows = this.pending
      .splice(0)
      .filter(({ text }) => text !== '')
      .map(({ kind, text }) => ({
        thread: this.thread,
        seq: this.seq,
        n: ++this.n,
        kind,
        text: text.toWellFormed(),
      }));
    if (rows.length === 0) return;
    const write = this.store.enqueue('normal', () => {
      for (const row of rows) this.store.live.append(row);
    });
    this.flushing = Promise.all([this.flushing, write]).then(
      () => undefined,
      (error: unknown) => {
        this.failure ??= error;
      },
    );
  }
}
