import xxhash from 'xxhash-wasm';

/** bytes → 8-byte big-endian XXH64 digest, seed 0. A fresh array each call. */
export type Hasher = {
  (bytes: Uint8Array): Uint8Array;
  /** Whether `digest` (8 bytes) is that of `bytes`; makes no array, for those who check what they read. */
  matches: (bytes: Uint8Array, digest: Uint8Array) => boolean;
};

const DIGEST_BYTES = 8;

/** Compiles the WebAssembly module once; keep and pass the result. */
export async function loadHasher(): Promise<Hasher> {
  const { h64Raw } = await xxhash();
  const found = new Uint8Array(DIGEST_BYTES);
  const view = new DataView(found.buffer);
  const hash = (bytes: Uint8Array): Uint8Array => {
    const digest = new Uint8Array(DIGEST_BYTES);
    new DataView(digest.buffer).setBigUint64(0, h64Raw(bytes));
    return digest;
  };
  const matches = (bytes: Uint8Array, digest: Uint8Array): boolean => {
    view.setBigUint64(0, h64Raw(bytes));
    for (let at = 0; at < DIGEST_BYTES; at += 1) if (found[at] !== digest[at]) return false;
    return true;
  };
  return Object.assign(hash, { matches });
}
