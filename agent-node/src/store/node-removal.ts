import { decodeHash, encodeHash, type Hash } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Connection } from './connection.js';

type NodeRemoval = {
  /** Throws in-use when another node, a thread, a step or one of `registryRoots` needs it; node-not-found. */
  remove: (hash: Hash, registryRoots: Iterable<Hash>) => void;
  /** The row and the refs it is the source of, without asking. */
  drop: (id: number) => void;
};

export function createNodeRemoval(connection: Connection): NodeRemoval {
  const selectId = connection.value<number>('SELECT id FROM node WHERE hash=?');
  const referrer = connection.value<Buffer>(
    'SELECT node.hash FROM ref JOIN node ON node.id=ref.src WHERE ref.dst=? LIMIT 1',
  );
  const thread = connection.value<string>(
    'SELECT id FROM thread WHERE start=? UNION ALL SELECT id FROM thread WHERE head=? ' +
      'UNION ALL SELECT thread FROM step WHERE node=? LIMIT 1',
  );
  const deleteRefs = connection.change('DELETE FROM ref WHERE src=?');
  const takeBack = connection.change('DELETE FROM quarantine WHERE hash=?');
  const deleteNode = connection.change('DELETE FROM node WHERE id=?');

  function drop(id: number): void {
    deleteRefs(id);
    deleteNode(id);
  }

  function userOf(hash: Hash, id: number, registryRoots: Iterable<Hash>): string | null {
    for (const root of registryRoots) if (root === hash) return 'the registry';
    const source = referrer(id);
    if (source !== undefined) return `node ${encodeHash(source)}`;
    const owner = thread(id, id, id);
    return owner === undefined ? null : `thread ${owner}`;
  }

  return {
    drop,
    remove: (hash, registryRoots) => {
      const digest = decodeHash(hash);
      const id = digest === null ? undefined : selectId(digest);
      if (id === undefined) throw new Problem('node-not-found', `There is no CAS entry ${hash}.`);
      const user = userOf(hash, id, registryRoots);
      if (user !== null) {
        throw new Problem('in-use', `CAS entry ${hash} is needed by ${user}. Remove that first.`);
      }
      drop(id);
      takeBack(digest);
    },
  };
}
