import { NOISE_QUOTE_LINES, NOISE_TAIL_BYTES } from './limits.js';

/** The end of what a process said beside its answer, to be quoted when it fails. */
export type NoiseTail = { add: (chunk: Uint8Array) => void; quote: () => string };

export function createNoiseTail(): NoiseTail {
  let tail = Buffer.alloc(0);
  return {
    add: (chunk) => {
      tail = Buffer.concat([tail, chunk]);
      if (tail.length > NOISE_TAIL_BYTES) tail = Buffer.from(tail.subarray(tail.length - NOISE_TAIL_BYTES));
    },
    quote: () => tail.toString('utf8').trimEnd().split('\n').slice(-NOISE_QUOTE_LINES).join('\n').toWellFormed(),
  };
}
