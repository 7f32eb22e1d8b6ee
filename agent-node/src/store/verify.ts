import { type Node, type NodeType, parseNode } from '@uncaged/protocol/cas';
import { encodeHash, type Hash } from '@uncaged/protocol/ids';
import { isProblem } from '@uncaged/protocol/problem';
import { createDamageTrace } from './damage-trace.js';
import { createIdSet } from './id-set.js';
import { DAMAGE_LISTED_MAX, UPKEEP_PAGE_ROWS } from './limits.js';
import { storedRefs } from './node-table.js';
import { afterReading, createPace, slice, writeSlice } from './slices.js';
import type { Damage, UpkeepInput, UpkeepProgress, Verified } from './upkeep-types.js';

type Row = { hash: Buffer; type: NodeType; bytes: Buffer; damaged: number };
type Found = Omit<Damage, 'threads' | 'isCut'> & {
  /** Those that lead to it: itself, or, when it is missing, what refers to it. */
  ids: number[];
};

const OTHER_HASH = 'its bytes have another hash';
const NO_NODE = 'its bytes are no node';
const UNREADABLE = 'the database file is damaged where it stands';

/** Looks at every node, in the order of the file; see `Upkeep.verify`. */
export function createVerifier({ connection, nodes, hasher, clock }: UpkeepInput) {
  const maxId = connection.value<number>('SELECT coalesce(max(id), 0) FROM node');
  const entries = connection.query<{ hash: Buffer; id: number }>(
    'SELECT hash, id FROM node WHERE hash>? ORDER BY hash LIMIT ?',
  );
  const hashOf = connection.value<Buffer>(
    "SELECT hash FROM node INDEXED BY sqlite_autoindex_node_1 WHERE hash>=x'' AND +id=?",
  );
  const row = connection.query<Row>('SELECT hash, type, bytes, damaged FROM node WHERE id=?');
  const setDamaged = connection.change('UPDATE node SET damaged=? WHERE id=? AND bytes=?');
  const putAside = connection.change(`
    INSERT OR REPLACE INTO quarantine(hash, type, bytes, reason, foundAt)
    SELECT hash, type, bytes, ?, ? FROM node WHERE id=? AND damaged=1`);
  const takeBack = connection.change('DELETE FROM quarantine WHERE hash=?');
  const trace = createDamageTrace(connection);

  /** Null when it is as it was stored. */
  function reasonOf({ hash, type, bytes }: Row): { reason: string } | { node: Node } {
    if (!hasher.matches(bytes, hash)) return { reason: OTHER_HASH };
    try {
      const node = parseNode(bytes);
      return node.type === type ? { node } : { reason: NO_NODE };
    } catch (error) {
      if (isProblem(error, 'invalid-node')) return { reason: NO_NODE };
      throw error;
    }
  }

  /** Null when its page cannot be read. */
  function read(id: number): Row | null | undefined {
    try {
      return row.get(id);
    } catch (error) {
      if (isProblem(error, 'store-damaged')) return null;
      throw error;
    }
  }

  async function quarantine(id: number, { bytes }: Row, reason: string): Promise<boolean> {
    return writeSlice(connection, () => {
      // Somebody may have stored it anew since it was read.
      if (setDamaged(1, id, bytes).changes === 0) return false;
      putAside(reason, clock(), id);
      return true;
    });
  }

  async function mend(id: number, { hash, bytes }: Row): Promise<void> {
    await writeSlice(connection, () => {
      setDamaged(0, id, bytes);
      takeBack(hash);
    });
  }

  async function allIds() {
    const ids = createIdSet(maxId() ?? 0);
    for (let after: Buffer = Buffer.alloc(0); ; ) {
      const page = entries.all(after, UPKEEP_PAGE_ROWS);
      for (const { id } of page) ids.add(id);
      if (page.length < UPKEEP_PAGE_ROWS) return ids;
      after = page.at(-1)!.hash;
      await afterReading();
    }
  }

  return async function* verify(): AsyncGenerator<UpkeepProgress, Verified, undefined> {
    const ids = await allIds();
    const total = ids.size;
    const missing = new Map<Hash, number[]>();
    const found: Found[] = [];
    const isTime = createPace();
    let damagedCount = 0;
    let quarantined = 0;
    let checked = 0;

    const note = (damage: Found): void => {
      damagedCount += 1;
      if (found.length < DAMAGE_LISTED_MAX) found.push(damage);
    };
    const noteMissing = (id: number, node: Node): void => {
      for (const ref of storedRefs(node)) {
        if (nodes.has(ref)) continue;
        const from = missing.get(ref);
        if (from === undefined) missing.set(ref, [id]);
        else if (from.length < UPKEEP_PAGE_ROWS) from.push(id);
      }
    };

    /** What has to be written about a node that was looked at, if anything. */
    let pending: (() => Promise<void>) | null = null;
    let at = 0;
    const next = (): boolean => {
      at = ids.above(at);
      if (at === 0) return false;
      const id = at;
      const current = read(id);
      checked += 1;
      if (current === undefined) return true;
      if (current === null) {
        const hash = hashOf(id);
        if (hash !== undefined)
          note({ hash: encodeHash(hash), type: null, reason: UNREADABLE, ids: [id] });
        return true;
      }
      const outcome = reasonOf(current);
      if ('node' in outcome) {
        noteMissing(id, outcome.node);
        if (current.damaged === 0) return true;
        pending = () => mend(id, current);
        return false;
      }
      const { reason } = outcome;
      pending = async () => {
        if (current.damaged === 0) {
          if (!(await quarantine(id, current, reason))) return;
          quarantined += 1;
        }
        note({ hash: encodeHash(current.hash), type: current.type, reason, ids: [id] });
      };
      return false;
    };

    for (let isMore = true; isMore; ) {
      isMore = slice(next);
      if (pending !== null) {
        await (pending as () => Promise<void>)();
        pending = null;
        isMore = true;
      }
      await afterReading();
      if (isTime()) yield { phase: 'verify', done: checked, total };
    }
    for (const [hash, from] of missing) {
      // It may have been stored, or what referred to it collected, meanwhile.
      const left = from.filter((id) => read(id) !== undefined);
      if (left.length === 0 || nodes.has(hash)) continue;
      note({
        hash,
        type: null,
        reason: 'it is missing, and another entry refers to it',
        ids: left,
      });
    }
    const damaged: Damage[] = [];
    for (const { ids: from, ...damage } of found) {
      damaged.push({ ...damage, ...(await trace(from)) });
      if (isTime()) yield { phase: 'verify', done: checked, total };
    }
    return { checked, quarantined, damaged, damagedCount };
  };
}
