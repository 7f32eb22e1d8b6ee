import type { Hash } from '@uncaged/protocol/ids';
import { ANCESTORS_MAX } from '@uncaged/protocol/limits';
import { Problem } from '@uncaged/protocol/problem';
import { CHAIN_CACHE_MAX } from './limits.js';
import type { NodeTable } from './types.js';

export type Chain = {
  /** `ancestors` of a state that follows `head` (a state or a start). Throws node-not-found, invalid-node. */
  after: (head: Hash) => Hash[];
  /** Spares the next step of the thread the read. */
  remember: (state: Hash, ancestors: readonly Hash[]) => void;
};

/**
 * The place of a state in its chain stands in the state itself; a small cache spares the parse. What a hash stands for
 * never changes, so nothing here can be stale, not even after a rollback.
 */
export function createChain(get: NodeTable['get']): Chain {
  const known = new Map<Hash, Hash[]>();

  function read(head: Hash): Hash[] {
    const node = get(head);
    if (node === null) throw new Problem('node-not-found', `There is no state ${head}.`);
    if (node.type === 'start') return [];
    if (node.type !== 'state') {
      throw new Problem(
        'invalid-node',
        `${head} is a ${node.type}; only a state or a start has states after it.`,
      );
    }
    return following(head, node.payload.ancestors);
  }

  function keep(head: Hash, ancestors: Hash[]): Hash[] {
    if (known.size >= CHAIN_CACHE_MAX) known.delete(known.keys().next().value as Hash);
    known.set(head, ancestors);
    return ancestors;
  }

  return {
    after: (head) => known.get(head) ?? keep(head, read(head)),
    remember: (state, ancestors) => void keep(state, following(state, ancestors)),
  };
}

function following(state: Hash, ancestors: readonly Hash[]): Hash[] {
  return [state, ...ancestors.slice(0, ANCESTORS_MAX - 1)];
}
