import type { NodeType } from '@uncaged/protocol/cas';
import { decodeHash, encodeHash } from '@uncaged/protocol/ids';
import type { Connection } from './connection.js';
import type { NodeTable } from './types.js';

type Row = { hash: Buffer; type: NodeType; size: number };

const toEntry = (row: Row) => ({ ...row, hash: encodeHash(row.hash) });

/** By hash, ascending. */
export function createNodeList(connection: Connection): NodeTable['list'] {
  const all = connection.query<Row>(
    'SELECT hash, type, size FROM node WHERE hash>? ORDER BY hash LIMIT ?',
  );
  const typed = connection.query<Row>(
    'SELECT hash, type, size FROM node WHERE hash>? AND type=? ORDER BY hash LIMIT ?',
  );
  return ({ type, after, limit }) => {
    const digest = after === undefined ? new Uint8Array() : decodeHash(after);
    if (digest === null) return [];
    const rows = type === undefined ? all.all(digest, limit) : typed.all(digest, type, limit);
    return rows.map(toEntry);
  };
}

export function createReferrerList(connection: Connection): NodeTable['referrers'] {
  const referrers = connection.query<Row>(`
    SELECT source.hash, source.type, source.size FROM node
    JOIN ref ON ref.dst=node.id JOIN node AS source ON source.id=ref.src
    WHERE node.hash=? AND source.hash>? ORDER BY source.hash LIMIT ?`);
  return (hash, { after, limit }) => {
    const target = decodeHash(hash);
    const digest = after === undefined ? new Uint8Array() : decodeHash(after);
    return target === null || digest === null
      ? []
      : referrers.all(target, digest, limit).map(toEntry);
  };
}
