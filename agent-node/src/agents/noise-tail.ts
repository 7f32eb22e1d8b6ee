import { NOISE_QUOTE_LINE_CHARS, NOISE_QUOTE_LINES, NOISE_TAIL_BYTES } from './limits.js';

/** The end of what a program said on stderr, masked before it comes here; quoted when the program fails. */
export type NoiseTail = {
  add: (chunk: Uint8Array) => void;
  /** Its last lines; empty when it said nothing. */
  quote: () => string;
};

export function createNoiseTail(): NoiseTail {
  let tail = Buffer.alloc(0);
  return {
    add: (chunk) => {
      tail = Buffer.concat([tail, chunk.subarray(-NOISE_TAIL_BYTES)]).subarray(-NOISE_TAIL_BYTES);
    },
    quote: () =>
      tail
        .toString('utf8')
        .toWellFormed()
        .trimEnd()
        .split('\n')
        .slice(-NOISE_QUOTE_LINES)
        .map((line) => line.slice(0, NOISE_QUOTE_LINE_CHARS).toWellFormed())
        .join('\n'),
  };
}
