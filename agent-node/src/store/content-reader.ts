import type { Node } from '@uncaged/protocol/cas';
import type { Hash } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { NodeTable } from './types.js';

const encoder = new TextEncoder();
/** Bytes that one UTF-16 unit may take in UTF-8. */
const UTF8_MAX_BYTES = 3;

/** Bytes of what a `content`, `bytes` or `parts` node stands for, one piece in memory at a time. */
export function* contentChunks(
  get: NodeTable['get'],
  hash: Hash,
): Generator<Uint8Array, void, undefined> {
  const node = get(hash);
  if (node === null) throw new Problem('node-not-found', `There is no CAS entry ${hash}.`);
  if (node.type !== 'parts') {
    yield pieceBytes(node, hash);
    return;
  }
  for (const part of node.payload.parts) yield partBytes(get, hash, part);
}

/** Of its own, so that whoever stops between two pieces does not hold the text beside its bytes. */
function partBytes(get: NodeTable['get'], hash: Hash, part: Hash): Uint8Array {
  const piece = get(part);
  if (piece === null || piece.type === 'parts') {
    throw new Problem(
      'store-damaged',
      `Piece ${part} of ${hash} is ${piece === null ? 'missing' : 'itself made of parts'}. Restore the store from a copy; other texts can still be read.`,
    );
  }
  return pieceBytes(piece, part);
}

export function readText(get: NodeTable['get'], hash: Hash, maxBytes: number): string {
  // Most contents are one short text: nothing to cut, nothing to decode.
  const node = get(hash);
  if (node?.type === 'content' && node.payload.text.length * UTF8_MAX_BYTES <= maxBytes)
    return node.payload.text;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let left = maxBytes;
  let text = '';
  for (const chunk of contentChunks(get, hash)) {
    if (chunk.length > left) {
      // Not flushed: a character cut by the limit is left out, it is not damage.
      return text + decoder.decode(chunk.subarray(0, left), { stream: true });
    }
    text += decoder.decode(chunk, { stream: true });
    left -= chunk.length;
  }
  return text + decoder.decode();
}

/** Bytes; reads one node. */
export function contentSize(get: NodeTable['get'], hash: Hash): number {
  const node = get(hash);
  if (node === null) throw new Problem('node-not-found', `There is no CAS entry ${hash}.`);
  return node.type === 'parts' ? node.payload.size : pieceBytes(node, hash).length;
}

function pieceBytes(node: Node, hash: Hash): Uint8Array {
  if (node.type === 'content') return encoder.encode(node.payload.text);
  if (node.type === 'bytes') return Buffer.from(node.payload.base64, 'base64');
  throw new Problem('node-not-found', `CAS entry ${hash} is a ${node.type}, not text or bytes.`);
}
