import type { Hash } from '@uncaged/protocol/ids';
import { CONTENT_MAX_BYTES, OUTPUT_MAX_BYTES } from '@uncaged/protocol/limits';
import { Problem } from '@uncaged/protocol/problem';
import { ByteBuffer } from './byte-buffer.js';
import { pieceEnd, prepareParts, preparePiece } from './content-pieces.js';
import { CONTENT_HEAD_BYTES, CONTENT_TAIL_BYTES } from './limits.js';
import type { Store } from './store.js';
import type { ContentWriter, Prepared } from './types.js';

/**
 * Output of any length and content, in chunks of any size, to nodes that depend on its bytes alone: pieces of ≤ 1 MiB cut
 * at character boundaries, `content` where they are UTF-8, else `bytes` (docs/decisions/mixed-parts.md). Holds about
 * 4 MiB. `write` must not be called inside a transaction. Throws output-too-large beyond OUTPUT_MAX_BYTES.
 */
export function createContentWriter(store: Pick<Store, 'write' | 'nodes'>): ContentWriter {
  const { prepare } = store.nodes;
  const head = new ByteBuffer(CONTENT_HEAD_BYTES);
  // Twice the tail, so that it moves once per MiB and not with every chunk.
  const tail = new ByteBuffer(2 * CONTENT_TAIL_BYTES);
  // One byte more than a piece: only then is it known that the output goes on.
  const pending = new ByteBuffer(CONTENT_MAX_BYTES + 1);
  const written: Hash[] = [];
  let size = 0;
  let sealed: Prepared | null = null;

  function cutPiece(): void {
    const end = pieceEnd(pending.view());
    const piece = preparePiece(prepare, pending.view().subarray(0, end));
    store.write('normal', piece.put);
    written.push(piece.hash);
    pending.drop(end);
  }

  return {
    get size() {
      return size;
    },
    write: (chunk) => {
      if (sealed !== null) throw new Error('write after seal');
      if (size + chunk.length > OUTPUT_MAX_BYTES) {
        throw new Problem(
          'output-too-large',
          `The output is larger than ${OUTPUT_MAX_BYTES / 1024 / 1024} MiB. Let the step write it to a file in the ` +
            'workspace and print where it is.',
        );
      }
      size += chunk.length;
      head.append(chunk);
      appendTail(tail, chunk);
      for (let rest = chunk; rest.length > 0; ) {
        rest = rest.subarray(pending.append(rest));
        if (pending.length > CONTENT_MAX_BYTES) cutPiece();
      }
    },
    head: () => head.view(),
    tail: () => tail.view().subarray(Math.max(0, tail.length - CONTENT_TAIL_BYTES)),
    seal: () => {
      sealed ??= sealWith(preparePiece(prepare, pending.view()));
      return sealed;
    },
  };

  function sealWith(last: Prepared): Prepared {
    if (written.length === 0) return last;
    return prepareParts(prepare, size, [...written, last.hash], [last]);
  }
}

function appendTail(tail: ByteBuffer, chunk: Uint8Array): void {
  const latest = chunk.subarray(Math.max(0, chunk.length - CONTENT_TAIL_BYTES));
  if (tail.length + latest.length > 2 * CONTENT_TAIL_BYTES) {
    tail.drop(tail.length - Math.min(tail.length, CONTENT_TAIL_BYTES));
  }
  tail.append(latest);
}
