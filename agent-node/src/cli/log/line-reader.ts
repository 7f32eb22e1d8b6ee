import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { LOG_LINE_MAX_CHARS, LOG_READ_BYTES } from './limits.js';

export type LineReader = {
  /** Lines that are there now and were not given yet; an unfinished last one only with `toEnd`. */
  read: (onLine: (line: string) => void, toEnd: boolean) => void;
};

/**
 * A text file that may grow, be cut back (then it begins anew) or not be there yet. Holds one line at most; a longer one than
 * LOG_LINE_MAX_CHARS is given in pieces.
 */
export function createLineReader(path: string): LineReader {
  const buffer = Buffer.alloc(LOG_READ_BYTES);
  let decoder = new StringDecoder('utf8');
  let position = 0;
  let rest = '';

  const give = (text: string, onLine: (line: string) => void) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(onLine);
    if (rest.length <= LOG_LINE_MAX_CHARS) return;
    onLine(rest);
    rest = '';
  };

  return {
    read: (onLine, toEnd) => {
      const file = openIfThere(path);
      if (file === null) return;
      try {
        if (fstatSync(file).size < position) {
          position = 0;
          rest = '';
          decoder = new StringDecoder('utf8');
        }
        for (;;) {
          const size = readSync(file, buffer, 0, buffer.length, position);
          if (size === 0) break;
          position += size;
          give(decoder.write(buffer.subarray(0, size)), onLine);
        }
      } finally {
        closeSync(file);
      }
      if (toEnd && rest !== '') {
        onLine(rest);
        rest = '';
      }
    },
  };
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
