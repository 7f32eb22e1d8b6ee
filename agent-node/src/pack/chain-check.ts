import type { Node } from '@uncaged/protocol/cas';
import { END, FORK, type Hash } from '@uncaged/protocol/ids';
import { ANCESTORS_MAX } from '@uncaged/protocol/limits';
import { invalidPack } from './format.js';
import type { PackThread } from './rows.js';

/** What is kept of a state while a pack is read. */
type Link = {
  parent: Hash | null;
  start: Hash;
  role: string;
  attempt: number;
  childThread: string | null;
  /** Of an end. */
  returnCode: unknown;
};

/** Whether the rows of a pack say what its nodes say: they are what lists and controls believe. */
export type ChainCheck = {
  /** Each node, in the order of the pack. Throws invalid-pack for a state whose ancestors are not its parent's. */
  see: (hash: Hash, node: Node, at: number) => void;
  /** Throws invalid-pack. */
  check: (thread: PackThread) => void;
};

export function createChainCheck(): ChainCheck {
  const states = new Map<Hash, Link>();
  const starts = new Set<Hash>();
  const definitions = new Set<Hash>();

  /** `ancestors` that a state with this parent must have. */
  function ancestorsAfter(parent: Hash): Hash[] {
    const found: Hash[] = [];
    for (let at: Hash | null = parent; at !== null && found.length < ANCESTORS_MAX; ) {
      found.push(at);
      at = states.get(at)?.parent ?? null;
    }
    return found;
  }

  /** States from the head back to the first, without markers and the end. */
  function stepsOf({ row }: PackThread): Hash[] {
    const found: Hash[] = [];
    let at: Hash | null = row.head === row.start ? null : row.head;
    while (at !== null) {
      const state: Link | undefined = states.get(at);
      if (state === undefined)
        throw invalidPack(`${at} is no state, but thread ${row.id} has it among its own`, null);
      if (state.start !== row.start)
        throw invalidPack(`state ${at} of thread ${row.id} belongs to another start`, null);
      if (state.role === END && at !== row.head)
        throw invalidPack(`thread ${row.id} goes on after its end`, null);
      if (state.role !== END && state.role !== FORK) found.push(at);
      at = state.parent;
    }
    return found.reverse();
  }

  function checkEnd({ row }: PackThread): void {
    const head = states.get(row.head);
    const ended = head?.role === END ? head.returnCode : null;
    if (ended !== row.returnCode)
      throw invalidPack(
        `the row of thread ${row.id} says that it ended with ${row.returnCode}, its last state ${ended}`,
        null,
      );
    const isOver = row.status === 'completed' || row.status === 'cancelled';
    if (isOver ? row.returnCode === null : row.returnCode !== null && row.status !== 'failed')
      throw invalidPack(
        `thread ${row.id} is ${row.status}, which does not go with its return code`,
        null,
      );
  }

  return {
    see: (hash, node, at) => {
      if (node.type === 'start') starts.add(hash);
      if (node.type === 'definition') definitions.add(hash);
      if (node.type !== 'state') return;
      const { ancestors, start, role, attempt, childThread, meta } = node.payload;
      const parent = ancestors[0] ?? null;
      const expected = parent === null ? [] : ancestorsAfter(parent);
      if (ancestors.length !== expected.length || ancestors.some((one, i) => one !== expected[i]))
        throw invalidPack(
          `the ancestors of state ${hash} are not its parent and those of that`,
          at,
        );
      states.set(hash, {
        ...{ parent, start, role, attempt, childThread },
        returnCode: role === END ? meta.returnCode : null,
      });
    },
    check: (thread) => {
      const { row, steps } = thread;
      if (!starts.has(row.start))
        throw invalidPack(`the start ${row.start} of thread ${row.id} is missing`, null);
      if (row.kind === 'definition' && !definitions.has(row.version))
        throw invalidPack(`the definition ${row.version} of thread ${row.id} is missing`, null);
      const chain = stepsOf(thread);
      const committed = steps.filter(({ status }) => status === 'committed');
      if (chain.length !== row.steps || committed.length !== row.steps)
        throw invalidPack(
          `thread ${row.id} has ${chain.length} steps, but its rows tell of ${committed.length} and of ${row.steps}`,
          null,
        );
      for (const [index, step] of committed.entries()) {
        const state = states.get(chain[index]!)!;
        const fits =
          step.hash === chain[index] &&
          step.seq === index + 1 &&
          step.role === state.role &&
          step.attempt === state.attempt &&
          step.childThread === state.childThread;
        if (!fits)
          throw invalidPack(
            `the row of step ${step.seq} of thread ${row.id} does not say what its state says`,
            null,
          );
      }
      checkEnd(thread);
    },
  };
}
