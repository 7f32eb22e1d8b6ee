import type { Log } from '../log.js';
import { type AppendTerms, appendLines } from './append-lines.js';
import { COMPLAINT_EVERY_MS, QUEUE_MAX_BYTES } from './limits.js';

export type AuditWriter = {
  /** Never throws and never waits. */
  add: (line: string) => void;
  /** Until what was added is written, or was given up. */
  flush: () => Promise<void>;
};

/** Writes lines in order, one batch after the other. What cannot be written is lost, counted and told of once a minute at most. */
export function createAuditWriter({
  clock,
  log,
  ...terms
}: AppendTerms & { clock: () => number; log: Log }): AuditWriter {
  let queue: string[] = [];
  let queuedBytes = 0;
  let running: Promise<void> | null = null;
  let lost = 0;
  let complainedAt = Number.NEGATIVE_INFINITY;

  function lose(records: number, why: string): void {
    lost += records;
    const now = clock();
    if (Math.abs(now - complainedAt) < COMPLAINT_EVERY_MS) return;
    complainedAt = now;
    log('35W0KMRC', `the audit cannot be written to ${terms.file} (${why}); ${lost} records lost`);
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      queuedBytes = 0;
      try {
        await appendLines(batch.join(''), terms);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        lose(batch.length, code ?? message);
      }
    }
    running = null;
  }

  return {
    add(line) {
      const text = `${line}\n`;
      if (queuedBytes + text.length > QUEUE_MAX_BYTES) return lose(1, 'the disk is too slow');
      queue.push(text);
      queuedBytes += text.length;
      running ??= drain();
    },
    flush: async () => {
      await running;
    },
  };
}
