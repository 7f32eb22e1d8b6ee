import xxhash from 'xxhash-wasm';

/** bytes → 8-byte big-endian XXH64 digest, seed 0. A fresh array each call. */
export type Hasher = (bytes: Uint8Array) => Uint8Array;

/** Compiles the WebAssembly module once; keep and pass the result. */
export async function loadHasher(): Promise<Hasher> {
  const { h64Raw } = await xxhash();
  return (bytes) => {
    const digest = new Uint8Array(8);
    new DataView(digest.buffer).setBigUint64(0, h64Raw(bytes));
    return digest;
  };
}
