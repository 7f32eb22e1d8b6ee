import { readFileSync } from 'node:fs';
import { formatClock, type Output, renderTerminalLine } from '../output/index.js';

/** Records of a thread's debug log as they appear; lines that are no records are passed over. */
export function createDebugLog(file: string, out: Output): { print: () => void } {
  let position = 0;
  return {
    print: () => {
      const bytes = readIfThere(file);
      if (bytes.length < position) position = 0;
      const end = bytes.lastIndexOf('\n'.charCodeAt(0)) + 1;
      if (end <= position) return;
      for (const line of bytes.subarray(position, end).toString('utf8').split('\n')) {
        const record = parseRecord(line);
        if (record !== null)
          out.line(
            out.colors.debug(
              `[${formatClock(record.timestamp)}] [${record.tag}] ${renderTerminalLine(record.content.replaceAll('\n', ' '))}`,
            ),
          );
      }
      position = end;
    },
  };
}

function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

function parseRecord(line: string): { tag: string; content: string; timestamp: number } | null {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return null;
    const { tag, content, timestamp } = value as Record<string, unknown>;
    const isRecord =
      typeof tag === 'string' && typeof content === 'string' && typeof timestamp === 'number';
    return isRecord ? { tag, content, timestamp } : null;
  } catch (error) {
    // A line that a crash cut short.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
