import type { Node, NodeType } from '@uncaged/protocol/cas';
import type { Hash } from '@uncaged/protocol/ids';
import { isProblem } from '@uncaged/protocol/problem';
import type { Store } from '../store/index.js';

/**
 * Payload of a node of this type, for those who show many and can do without one: null when it is missing, damaged, or of
 * another type.
 */
export function readablePayload<T extends NodeType>(
  store: Store,
  hash: Hash,
  type: T,
): Node<T>['payload'] | null {
  const node = readable(() => store.nodes.get(hash));
  return node?.type === type ? (node as Node<T>).payload : null;
}

/** The first `maxBytes` of a text and the size of all of it, bytes; null when it is missing or damaged. */
export function readableText(
  store: Store,
  hash: Hash,
  maxBytes: number,
): { text: string; size: number } | null {
  const { nodes } = store;
  return readable(() => ({ text: nodes.readText(hash, maxBytes), size: nodes.contentSize(hash) }));
}

function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const isLost =
      isProblem(error, 'node-not-found') ||
      isProblem(error, 'store-damaged') ||
      isProblem(error, 'invalid-node');
    if (isLost) return null;
    throw error;
  }
}
