import { canonicalBytes, type Node, validateNode } from '@uncaged/protocol/cas';
import type { Hash } from '@uncaged/protocol/ids';
import { isProblem } from '@uncaged/protocol/problem';
import { invalidPack } from './format.js';
import { parseJson } from './read-rows.js';

/** A node of a pack in full: its schema, its canonical form. Throws invalid-pack. */
export function readNode(hash: Hash, bytes: Uint8Array, at: number): Node {
  const value = parseJson(bytes, `node ${hash}`, at);
  const node = checked(hash, value, at);
  if (!Buffer.from(canonicalBytes(node)).equals(bytes))
    throw invalidPack(`node ${hash} is not in canonical form`, at);
  return node;
}

function checked(hash: Hash, value: unknown, at: number): Node {
  try {
    return validateNode(value);
  } catch (error) {
    if (!isProblem(error)) throw error;
    throw invalidPack(`node ${hash} cannot be used: ${error.message}`, at, error);
  }
}
