import { parseNode } from '@uncaged/protocol/cas';
import { decodeHash, encodeHash, type Hash, type Hasher } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Store } from '../store/index.js';

export type ClosureNode = { hash: Hash; digest: Uint8Array; bytes: Uint8Array };

/**
 * The nodes that can be reached from `roots` and are not in `done`, each once, and after all that it refers to; `done` grows by
 * them. Bounded memory: one node, and the hashes on the way to it. Throws store-damaged for bytes that have another hash,
 * node-not-found for what is gone.
 */
export function* closureOf(
  nodes: Store['nodes'],
  hasher: Hasher,
  roots: Iterable<Hash>,
  done: Set<Hash>,
): Generator<ClosureNode, void, undefined> {
  for (const root of roots) {
    const way = [root];
    while (way.length > 0) {
      const hash = way.at(-1)!;
      if (done.has(hash)) {
        way.pop();
        continue;
      }
      const node = checkedNode(nodes, hasher, hash);
      const missing = node.refs.filter((ref) => !done.has(ref));
      if (missing.length > 0) {
        way.push(...missing);
        continue;
      }
      way.pop();
      done.add(hash);
      yield { hash, digest: node.digest, bytes: node.bytes };
    }
  }
}

function checkedNode(nodes: Store['nodes'], hasher: Hasher, hash: Hash) {
  const bytes = nodes.getBytes(hash);
  const digest = decodeHash(hash);
  if (bytes === null || digest === null)
    throw new Problem(
      'node-not-found',
      `CAS entry ${hash}, which the thread needs, is not in the store; what is left of the thread cannot be packed.`,
    );
  if (encodeHash(hasher(bytes)) !== hash)
    throw new Problem(
      'store-damaged',
      `CAS entry ${hash} is damaged: its bytes have another hash. The thread cannot be packed; its other steps can still be read.`,
    );
  return { digest, bytes, refs: parseNode(bytes).refs };
}
