import { formatClock, renderTerminalLine } from '../output/index.js';

/** A line of a thread's debug log; `timestamp` in ms since epoch. */
export type LogRecord = { tag: string; content: string; timestamp: number };

/** Null for a line that is no record: one that a crash cut short. */
export function parseRecord(line: string): LogRecord | null {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return null;
    const { tag, content, timestamp } = value as Record<string, unknown>;
    const isRecord =
      typeof tag === 'string' && typeof content === 'string' && typeof timestamp === 'number';
    return isRecord ? { tag, content, timestamp } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** `[HH:MM:SS] [TAG] message`, in one line and safe for a terminal. */
export function recordLine({ tag, content, timestamp }: LogRecord): string {
  return `[${formatClock(timestamp)}] [${renderTerminalLine(tag)}] ${renderTerminalLine(content.replaceAll('\n', ' '))}`;
}
