import { createHash } from 'node:crypto';
import { isProblem } from '@uncaged/protocol/problem';
import { invalidPack } from './format.js';

/** Bytes of a pack by the length, from chunks of any size. */
export type ByteReader = {
  /** Exactly so many, not yet counted in the digest. Throws invalid-pack where the pack ends before. */
  read: (length: number, what: string) => Promise<Buffer>;
  /** Up to a line break, which is not given. Null when none comes within `max` bytes. */
  readLine: (max: number) => Promise<Buffer | null>;
  /** Whether nothing follows. */
  isAtEnd: () => Promise<boolean>;
  /** Takes bytes into the digest over the whole. */
  count: (bytes: Uint8Array) => void;
  digest: () => Buffer;
  /** Bytes read so far. */
  position: () => number;
};

const NONE = Buffer.alloc(0);
const LINE_BREAK = 0x0a;

export function createByteReader(source: AsyncIterator<Uint8Array>): ByteReader {
  const hash = createHash('sha256');
  let chunk: Buffer = NONE;
  let position = 0;

  async function fill(): Promise<boolean> {
    while (chunk.length === 0) {
      const next = await pull();
      if (next.done === true) return false;
      const { buffer, byteOffset, byteLength } = next.value;
      chunk = Buffer.from(buffer, byteOffset, byteLength);
    }
    return true;
  }

  async function pull(): Promise<IteratorResult<Uint8Array>> {
    try {
      return await source.next();
    } catch (error) {
      if (isProblem(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw invalidPack(`it could not be read on (${reason})`, position, error);
    }
  }

  function take(length: number): Buffer {
    const taken = chunk.subarray(0, length);
    chunk = chunk.subarray(taken.length);
    position += taken.length;
    return taken;
  }

  return {
    read: async (length, what) => {
      if (chunk.length >= length) return take(length);
      const pieces: Buffer[] = [];
      for (let missing = length; missing > 0; ) {
        if (!(await fill())) throw invalidPack(`it ends in the middle of ${what}`, position);
        const piece = take(missing);
        pieces.push(piece);
        missing -= piece.length;
      }
      return Buffer.concat(pieces, length);
    },
    readLine: async (max) => {
      const line: number[] = [];
      while (line.length < max && (await fill())) {
        const [byte] = take(1);
        if (byte === LINE_BREAK) return Buffer.from(line);
        line.push(byte!);
      }
      return null;
    },
    isAtEnd: async () => !(await fill()),
    count: (bytes) => void hash.update(bytes),
    digest: () => hash.digest(),
    position: () => position,
  };
}
