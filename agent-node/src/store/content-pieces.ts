import { isUtf8 } from 'node:buffer';
import type { Hash } from '@uncaged/protocol/ids';
import { CONTENT_MAX_BYTES } from '@uncaged/protocol/limits';
import type { NodeTable, Prepared } from './types.js';

/** A character of UTF-8 has at most three bytes after its first. */
const CONTINUATION_MAX = 3;

/**
 * Where the first piece of `bytes` ends: at most `max` bytes, before a character that would be cut. Bytes that are no
 * UTF-8 there are cut at `max`. Needs `max + 1` bytes to decide, or all there are; depends on nothing but the bytes.
 */
export function pieceEnd(bytes: Uint8Array, max: number = CONTENT_MAX_BYTES): number {
  if (bytes.length <= max) return bytes.length;
  for (let end = max; end >= max - CONTINUATION_MAX && end > 0; end -= 1) {
    if (!isContinuation(bytes[end]!)) return end;
  }
  return max;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** A piece as the node it becomes: `content` when it is UTF-8, else `bytes`. Copies. */
export function preparePiece(prepare: NodeTable['prepare'], piece: Uint8Array): Prepared {
  const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  return isUtf8(piece)
    ? prepare('content', { text: buffer.toString('utf8') })
    : prepare('bytes', { base64: buffer.toString('base64') });
}

/** One `content`, or `parts` of `content` pieces; the same nodes as a content writer makes of the text's bytes. */
export function prepareText(prepare: NodeTable['prepare'], text: string): Prepared {
  if (Buffer.byteLength(text) <= CONTENT_MAX_BYTES) return prepare('content', { text });
  const pieces: Prepared[] = [];
  const bytes = Buffer.from(text);
  for (let rest: Uint8Array = bytes; rest.length > 0; ) {
    const end = pieceEnd(rest);
    pieces.push(preparePiece(prepare, rest.subarray(0, end)));
    rest = rest.subarray(end);
  }
  return prepareParts(
    prepare,
    bytes.length,
    pieces.map((piece) => piece.hash),
    pieces,
  );
}

/** `pending`: those of the pieces that are not stored yet; they are put with it. */
export function prepareParts(
  prepare: NodeTable['prepare'],
  size: number,
  parts: Hash[],
  pending: readonly Prepared[],
): Prepared {
  const whole = prepare('parts', { size, parts });
  return {
    hash: whole.hash,
    put: () => {
      for (const piece of pending) piece.put();
      whole.put();
    },
  };
}
