import { encodeHash, FORK, type Hash, type ThreadId } from '@uncaged/protocol/ids';
import { isProblem } from '@uncaged/protocol/problem';
import type { Connection } from './connection.js';
import type { Nodes } from './node-table.js';
import type { ForkMarker, ThreadTable } from './store.js';
import type { ThreadRow } from './types.js';

type ForkInput = {
  connection: Connection;
  nodes: Nodes;
  create: ThreadTable['create'];
  need: (id: ThreadId) => ThreadRow;
  clock: () => number;
};

/**
 * A thread that begins with the first steps of another one. The states are shared; the rows of its committed attempts are
 * copied, so that they stay when the source is removed. Not copied: attempts that never committed (what they left running is
 * the source's to end), processes, sessions, events. The tokens of a copied row tell what that step cost when it was made;
 * the fork's own counters begin at zero.
 */
export function createFork({
  connection,
  nodes,
  create,
  need,
  clock,
}: ForkInput): Pick<ThreadTable, 'fork'> {
  const copySteps = connection.change(`
    INSERT INTO step(thread, seq, attempt, node, role, agent, status, startedAt, committedAt, childThread, tokensInput,
      tokensCacheRead, tokensCacheWrite, tokensOutput, usd)
    SELECT ?, seq, attempt, node, role, agent, status, startedAt, committedAt, childThread, tokensInput,
      tokensCacheRead, tokensCacheWrite, tokensOutput, usd
    FROM step WHERE thread=? AND seq<=? AND status='committed'`);
  const stateAt = connection.query<{ hash: Buffer; role: string }>(`
    SELECT node.hash, step.role FROM step JOIN node ON node.id=step.node
    WHERE step.thread=? AND step.seq=? AND step.status='committed'`);
  const place = connection.change('UPDATE thread SET head=?, role=?, steps=? WHERE id=?');

  /** What the chain ended with when step `keep` + 1 began: a marker of an earlier fork belongs to it. */
  function headAfter(source: ThreadRow, keep: number): Hash {
    const kept = keep === 0 ? source.start : hashAt(source.id, keep);
    const next = keep === source.steps ? source.head : hashAt(source.id, keep + 1);
    if (next === kept) return kept;
    const parent = parentOf(next, source.start);
    if (parent === null) return kept;
    // A thread that is not over may end with a marker; everything else that follows a step hangs from what was before it.
    return keep === source.steps && isMarker(next) ? next : parent;
  }

  function hashAt(thread: ThreadId, seq: number): Hash {
    const state = stateAt.get(thread, seq);
    if (state === undefined) throw new Error(`thread ${thread} has no step ${seq}`);
    return encodeHash(state.hash);
  }

  /** Null when that node cannot be read: a damaged step is no reason to lose those before it. */
  function parentOf(hash: Hash, start: Hash): Hash | null {
    try {
      const node = nodes.get(hash);
      return node?.type === 'state' ? (node.payload.ancestors[0] ?? start) : null;
    } catch (error) {
      if (isProblem(error, 'store-damaged')) return null;
      throw error;
    }
  }

  function isMarker(hash: Hash): boolean {
    const node = nodes.get(hash);
    return node?.type === 'state' && node.payload.role === FORK;
  }

  function putMarker(start: Hash, head: Hash, marker: ForkMarker): Hash {
    const now = clock();
    const state = {
      role: FORK,
      attempt: 1,
      start,
      content: null,
      meta: { ...marker },
      ancestors: head === start ? [] : nodes.after(head),
      compact: null,
      childThread: null,
      agent: null,
      session: null,
      usage: null,
      startedAt: now,
      timestamp: now,
    };
    // Another definition lives as long as the chain does; the file of a bundle is no node.
    const { definition } = marker;
    const isNode = definition !== null && nodes.has(definition);
    return nodes.put('state', state, isNode ? [definition] : []);
  }

  return {
    fork: (thread, marker) => {
      const { id, forkedFrom, forkedSeq: keep, start } = thread;
      const source = need(forkedFrom);
      if (keep > source.steps || start !== source.start)
        throw new Error(`thread ${id} cannot keep ${keep} steps of ${forkedFrom}`);
      create(thread);
      const copied = copySteps(id, source.id, keep).changes;
      if (copied !== keep) throw new Error(`${copied} of ${keep} steps were copied to ${id}`);
      const point = headAfter(source, keep);
      const head = marker === null ? point : putMarker(start, point, marker);
      const role = keep === 0 ? null : (stateAt.get(id, keep)?.role ?? null);
      place(nodes.idOf(head), role, keep, id);
    },
  };
}
