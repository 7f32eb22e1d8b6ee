import type { FileHandle } from 'node:fs/promises';
import { CHUNK_BYTES, LINE_MAX_BYTES } from './limits.js';

const NEWLINE = 0x0a;

export type Line = {
  /** Offset of its first byte in the file. */
  start: number;
  bytes: Buffer;
};

/**
 * The lines of a file that lie before byte `end`, last one first, without loading the file: it holds a chunk and the part of one
 * line. Lines longer than LINE_MAX_BYTES are left out. Ends early when the file turns out shorter than `end`.
 */
export async function* linesBackwards(handle: FileHandle, end: number): AsyncGenerator<Line> {
  const rest = createRest();
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end));
  let position = end;
  while (position > 0) {
    const size = Math.min(CHUNK_BYTES, position);
    position -= size;
    const { bytesRead } = await handle.read(chunk, 0, size, position);
    if (bytesRead < size) return;
    let right = size;
    while (right > 0) {
      const newline = chunk.lastIndexOf(NEWLINE, right - 1);
      rest.prepend(chunk.subarray(newline + 1, right));
      if (newline < 0) break;
      const bytes = rest.take();
      if (bytes !== null) yield { start: position + newline + 1, bytes };
      right = newline;
    }
  }
  const bytes = rest.take();
  if (bytes !== null) yield { start: 0, bytes };
}

/** A line whose beginning was not reached yet; of one that is too long nothing is kept. */
function createRest() {
  let parts: Buffer[] = [];
  let length = 0;
  return {
    /** Copies it: the chunk is read into again. */
    prepend(part: Buffer): void {
      length += part.length;
      if (length > LINE_MAX_BYTES) parts = [];
      else parts.unshift(Buffer.from(part));
    },
    /** Null: it is empty or too long. */
    take(): Buffer | null {
      const isGood = length > 0 && length <= LINE_MAX_BYTES;
      const bytes = isGood ? Buffer.concat(parts, length) : null;
      parts = [];
      length = 0;
      return bytes;
    },
  };
}
