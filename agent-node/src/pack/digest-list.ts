import { createHash } from 'node:crypto';
import { DIGEST_BYTES, HASH_BYTES } from './format.js';

const FIRST_ENTRIES = 256;

/** XXH64 and SHA-256 of everything in a pack that has a hash, in its order; 40 bytes each. */
export type DigestList = {
  /** `hash`: its 8 bytes. */
  add: (hash: Uint8Array, bytes: Uint8Array) => void;
  count: () => number;
  /** Entries `from` to `to`, one after the other. */
  slice: (from: number, to: number) => Buffer;
};

export function createDigestList(): DigestList {
  let buffer = Buffer.alloc(FIRST_ENTRIES * DIGEST_BYTES);
  let count = 0;
  return {
    add: (hash, bytes) => {
      const at = count * DIGEST_BYTES;
      if (at === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(buffer.length)]);
      buffer.set(hash, at);
      buffer.set(sha256(bytes), at + HASH_BYTES);
      count += 1;
    },
    count: () => count,
    slice: (from, to) => buffer.subarray(from * DIGEST_BYTES, Math.min(to, count) * DIGEST_BYTES),
  };
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}
