import { setImmediate as turn } from 'node:timers/promises';
import type { Hash } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Store } from '../store/index.js';
import { type ByteRange, parseRange, tailOf } from './byte-range.js';
import { entityTag, isFresh, notModified } from './entity-tag.js';

type Wanted = {
  /** Last so many bytes; goes before `range`. */
  tail: number | undefined;
  range: string | undefined;
  ifRange: string | undefined;
  ifNoneMatch: string | undefined;
};

/** A stored text or output, byte for byte, or a part of it; one piece in memory at a time. Throws range-not-satisfiable. */
export function contentResponse(store: Store, hash: Hash, wanted: Wanted): Response {
  if (isFresh(hash, wanted.ifNoneMatch)) return notModified(hash);
  const size = store.nodes.contentSize(hash);
  const range = rangeOf(hash, wanted, size);
  if (range === 'unsatisfiable')
    throw new Problem(
      'range-not-satisfiable',
      `The content has ${size} bytes; the range lies outside.`,
      {
        details: { contentRange: `bytes */${size}` },
      },
    );
  const isBinary = store.nodes.get(hash)?.type === 'bytes';
  const { start, end } = range ?? { start: 0, end: size };
  return new Response(streamOf(store, hash, { start, end }), {
    status: range === null ? 200 : 206,
    headers: {
      'content-type': isBinary ? 'application/octet-stream' : 'text/plain; charset=utf-8',
      // Agents wrote it: nothing may take it for a page.
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-cache',
      'accept-ranges': 'bytes',
      etag: entityTag(hash),
      'content-length': String(end - start),
      ...(range === null ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size}` }),
    },
  });
}

function rangeOf(hash: Hash, { tail, range, ifRange }: Wanted, size: number) {
  if (tail !== undefined) return size === 0 ? null : tailOf(tail, size);
  if (ifRange !== undefined && ifRange !== entityTag(hash)) return null;
  return parseRange(range, size);
}

function streamOf(store: Store, hash: Hash, { start, end }: ByteRange): ReadableStream<Uint8Array> {
  const pieces = store.nodes.contentChunks(hash);
  let position = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        while (position < end) {
          const next = pieces.next();
          if (next.done === true) break;
          const piece = next.value;
          const from = Math.max(0, start - position);
          const to = Math.min(piece.length, end - position);
          position += piece.length;
          if (from < to) {
            controller.enqueue(piece.subarray(from, to));
            return;
          }
          // Pieces before the range cost time too: others get their turn in between.
          await turn();
        }
        controller.close();
      },
      cancel: () => void pieces.return(),
    },
    { highWaterMark: 0 },
  );
}
