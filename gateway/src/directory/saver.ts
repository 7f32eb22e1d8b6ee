import type { Log } from '../log.js';
import type { DirectoryLimits } from './limits.js';

export type Saver = {
  /** Something has changed: it is written soon. */
  changed(): void;
  /** Writes what is not written yet, and stops. Never rejects. */
  close(): Promise<void>;
};

/**
 * When to write: `idle` → (changed) `waiting` → `writing` → `idle`, or `waiting` again when something changed meanwhile or the
 * write failed. One write at a time, at most one in `writeAfterMs`, and writes that take long are rarer.
 */
export function createSaver(
  write: () => Promise<void>,
  limits: Pick<DirectoryLimits, 'writeAfterMs' | 'writeShareMax' | 'retryAfterMs'>,
  log: Log,
): Saver {
  let unwritten = false;
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> | null = null;
  let closed = false;
  let pauseMs = limits.writeAfterMs;

  const save = async () => {
    unwritten = false;
    const begunAt = performance.now();
    try {
      await write();
      pauseMs = Math.max(limits.writeAfterMs, (performance.now() - begunAt) / limits.writeShareMax);
    } catch (error) {
      unwritten = true;
      pauseMs = limits.retryAfterMs;
      const why = error instanceof Error ? error.message : String(error);
      log('8D3RY2RZ', `what is known of nodes could not be written, it is kept in memory: ${why}`);
    }
    writing = null;
    if (unwritten) plan();
  };
  const plan = () => {
    if (timer !== null || writing !== null || closed) return;
    timer = setTimeout(() => {
      timer = null;
      writing = save();
    }, pauseMs);
  };
  return {
    changed() {
      unwritten = true;
      plan();
    },
    async close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await writing;
      if (unwritten) await save();
    },
  };
}
