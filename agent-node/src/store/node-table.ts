import {
  canonicalBytes,
  createNode,
  type Node,
  type NodeType,
  type Payload,
  parseNode,
} from '@uncaged/protocol/cas';
import { decodeHash, encodeHash, type Hash, type Hasher } from '@uncaged/protocol/ids';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import { createChain } from './chain.js';
import type { Connection } from './connection.js';
import { prepareText } from './content-pieces.js';
import { contentChunks, contentSize, readText } from './content-reader.js';
import { createNodeList, createReferrerList } from './node-list.js';
import { createNodeRemoval } from './node-removal.js';
import type { NodeTable } from './types.js';

type NodeTableInput = { connection: Connection; hasher: Hasher; clock: () => number };

/** `node.id` of hashes that the caller has read in this transaction; spares looking them up again. */
type KnownIds = ReadonlyMap<Hash, number>;

/** For the tables that keep `node.id`s. */
export type Nodes = NodeTable & {
  idOf: (hash: Hash) => number | null;
  putState: (
    payload: Payload<'state'>,
    casRefs: readonly Hash[],
    known: KnownIds,
  ) => { hash: Hash; id: number };
  /** `ancestors` of a state that follows this one. */
  after: (head: Hash) => Hash[];
};

function damagedEntry(hash: Hash): Problem {
  return new Problem(
    'store-damaged',
    `CAS entry ${hash} is damaged: its bytes have another hash. \`uwf cas verify\` tells which threads need it; storing the ` +
      'same content again mends it, and so does a copy of the store. Other entries can still be read.',
    { details: { hash } },
  );
}

const NONE_KNOWN: KnownIds = new Map();

export function createNodeTable({ connection, hasher, clock }: NodeTableInput): Nodes {
  const mend = connection.change(
    'UPDATE node SET type=?, bytes=?, size=?, touched=?, damaged=0 WHERE hash=?',
  );
  const takeBack = connection.change('DELETE FROM quarantine WHERE hash=?');
  const selectBytes = connection.value<Buffer>('SELECT bytes FROM node WHERE hash=?');
  const selectId = connection.value<number>('SELECT id FROM node WHERE hash=?');
  const insertNode = connection.change(
    'INSERT INTO node(hash, type, bytes, size, touched) VALUES(?, ?, ?, ?, ?) ON CONFLICT(hash) DO NOTHING',
  );
  const insertRef = connection.change('INSERT INTO ref(src, dst) VALUES(?, ?)');
  const insertRefByHash = connection.change(
    'INSERT INTO ref(src, dst) SELECT ?, id FROM node WHERE hash=? ON CONFLICT DO NOTHING',
  );
  const touch = connection.change('UPDATE node SET touched=? WHERE hash=? AND touched<>?');
  const removal = createNodeRemoval(connection);
  const chain = createChain(get);

  function getBytes(hash: Hash): Uint8Array | null {
    const digest = decodeHash(hash);
    const bytes = digest === null ? undefined : selectBytes(digest);
    if (bytes === undefined) return null;
    // Costs some hundredths of a read; what is damaged must not pass for what was stored.
    if (!hasher.matches(bytes, digest!)) throw damagedEntry(hash);
    return bytes;
  }

  function get(hash: Hash): Node | null {
    const bytes = getBytes(hash);
    return bytes === null ? null : parseNode(bytes);
  }

  function prepare<T extends NodeType>(
    type: T,
    payload: Payload<T>,
    casRefs: readonly Hash[] = [],
    known: KnownIds = NONE_KNOWN,
  ): { hash: Hash; put: () => number } {
    const node = createNode(type, payload, casRefs) as Node;
    const bytes = canonicalBytes(node);
    const digest = hasher(bytes);
    const hash = encodeHash(digest);
    return { hash, put: () => store(node, bytes, digest, hash, known) };
  }

  function put<T extends NodeType>(type: T, payload: Payload<T>, casRefs?: readonly Hash[]): Hash {
    const prepared = prepare(type, payload, casRefs);
    prepared.put();
    return prepared.hash;
  }

  function store(
    node: Node,
    bytes: Uint8Array,
    digest: Uint8Array,
    hash: Hash,
    known: KnownIds,
  ): number {
    const now = clock();
    const inserted = insertNode(digest, node.type, bytes, bytes.length, now);
    if (inserted.changes === 0) {
      const id = selectId(digest) as number;
      if (isStored(bytes, digest, hash)) touch(now, digest, now);
      else restore(node, bytes, digest, id, hash);
      return id;
    }
    const id = Number(inserted.lastInsertRowid);
    try {
      for (const ref of storedRefs(node)) link(id, ref, known, hash);
      checkAncestors(node, hash);
    } catch (error) {
      // Also when the caller goes on with its transaction: no node without what it refers to.
      if (isProblem(error, 'invalid-node')) removal.drop(id);
      throw error;
    }
    return id;
  }

  function link(id: number, ref: Hash, known: KnownIds, hash: Hash): void {
    const target = known.get(ref);
    if (target !== undefined) {
      insertRef(id, target);
      return;
    }
    const digest = decodeHash(ref);
    // Nothing changes when it is missing, and when a node that is mended has this reference already.
    if (
      digest === null ||
      (insertRefByHash(id, digest).changes === 0 && selectId(digest) === undefined)
    ) {
      throw new Problem(
        'invalid-node',
        `Node ${hash} refers to ${ref}, which is not in the store.`,
      );
    }
  }

  /** The refs table has only the parent of them; that reaches the others as long as they are the parent's own. */
  function checkAncestors(node: Node, hash: Hash): void {
    if (node.type !== 'state') return;
    const { ancestors } = node.payload;
    const expected = ancestors.length === 0 ? [] : chain.after(ancestors[0]!);
    if (
      ancestors.length !== expected.length ||
      ancestors.some((ancestor, at) => ancestor !== expected[at])
    ) {
      throw new Problem(
        'invalid-node',
        'ancestors of a state must be its parent and the ancestors of that.',
      );
    }
    chain.remember(hash, ancestors);
  }

  /** False when what is stored under this hash is damaged. Throws hash-collision. */
  function isStored(bytes: Uint8Array, digest: Uint8Array, hash: Hash): boolean {
    const stored = selectBytes(digest);
    if (stored === undefined) throw new Error('node vanished inside a transaction');
    if (stored.equals(bytes)) return true;
    if (!hasher.matches(stored, digest)) return false;
    throw new Problem(
      'hash-collision',
      `Different content has the hash ${hash} already; nothing was overwritten. Change the new text by a character.`,
    );
  }

  /** Good bytes take the place of damaged ones. */
  function restore(
    node: Node,
    bytes: Uint8Array,
    digest: Uint8Array,
    id: number,
    hash: Hash,
  ): void {
    for (const ref of storedRefs(node)) link(id, ref, NONE_KNOWN, hash);
    mend(node.type, bytes, bytes.length, clock(), digest);
    takeBack(digest);
  }

  return {
    prepare: (type, payload, casRefs) => prepare(type, payload, casRefs),
    put,
    prepareText: (text) => prepareText(prepare, text),
    putText: (text) => {
      const prepared = prepareText(prepare, text);
      prepared.put();
      return prepared.hash;
    },
    get,
    getBytes,
    has: (hash) => idOf(hash) !== null,
    contentChunks: (hash) => contentChunks(get, hash),
    readText: (hash, maxBytes = Number.POSITIVE_INFINITY) => readText(get, hash, maxBytes),
    contentSize: (hash) => contentSize(get, hash),
    list: createNodeList(connection),
    referrers: createReferrerList(connection),
    remove: removal.remove,
    idOf,
    after: chain.after,
    putState: (payload, casRefs, known) => {
      const prepared = prepare('state', payload, casRefs, known);
      return { hash: prepared.hash, id: prepared.put() };
    },
  };

  function idOf(hash: Hash): number | null {
    const digest = decodeHash(hash);
    return (digest === null ? undefined : selectId(digest)) ?? null;
  }
}

/** Those of its refs that the table `ref` keeps. */
export function storedRefs(node: Node): readonly Hash[] {
  if (node.type !== 'state' || node.payload.ancestors.length === 0) return node.refs;
  const { start, ancestors } = node.payload;
  return node.refs.filter((ref) => ref !== start && ancestors.indexOf(ref) < 1);
}
