import { createReadStream } from 'node:fs';
import type { ThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import { readPack } from './read-pack.js';

/** What a good pack holds. */
export type PackReport = {
  threadId: ThreadId;
  /** With those nested in it. */
  threads: number;
  steps: number;
  nodes: number;
  bytes: number;
  /** Of the whole pack, in hex: to be compared with what its sender has. */
  sha256: string;
};

/**
 * Checks a pack without taking it in: everything that an import checks, with no store. Throws invalid-pack that says what is
 * wrong and where, file-not-found.
 */
export async function verifyPack(source: string | AsyncIterable<Uint8Array>): Promise<PackReport> {
  const bytes = typeof source === 'string' ? packFile(source) : source;
  for await (const item of readPack(bytes)) {
    if (item.type !== 'end') continue;
    const { threads, hashes, bytes: size, sha256 } = item;
    const { id, steps } = threads[0]!.row;
    return {
      threadId: id,
      threads: threads.length,
      steps,
      nodes: hashes.size,
      bytes: size,
      sha256,
    };
  }
  throw new Error('a pack ends with its end, or is refused');
}

/** The bytes of a file, as they are asked for. Throws file-not-found for what cannot be read as a file. */
export async function* packFile(path: string): AsyncGenerator<Uint8Array, void> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EISDIR' && code !== 'EACCES')
      throw error;
    const why =
      code === 'EISDIR'
        ? 'is a directory'
        : code === 'EACCES'
          ? 'may not be read'
          : 'does not exist';
    throw new Problem('file-not-found', `The pack ${path} ${why}.`, { cause: error });
  }
}
