import type { FileVerdict } from './types.js';

/** Nested so deeply that the parser ran out of stack: made to break parsers, or generated. */
export const TOO_DEEP: FileVerdict = { skipped: 'nested too deeply to parse' };

/** The result of a parser, or null when the text exhausts its stack. */
export function within<T>(parse: () => T): T | null {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Error && error.name === 'RangeError') return null;
    throw error;
  }
}
