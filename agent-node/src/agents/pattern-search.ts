import { SEARCH_TABLE_STATES } from './limits.js';

/** Finds many byte strings at once in one pass over a stream (Aho and Corasick, 1975). It keeps no place of its own. */
export type PatternSearch = {
  /**
   * Reads `chunk` on from a state (START for a new stream) and returns the next. `onFound` gets the end (index in the chunk,
   * exclusive) and the length of the longest pattern that ends there; ends ascend.
   */
  read: (
    state: number,
    chunk: Uint8Array,
    onFound: (end: number, length: number) => void,
  ) => number;
  /** The latest bytes that a pattern may begin with; any find to come begins in them or later. Not to be written to. */
  begun: (state: number) => Uint8Array;
};

export const START = 0;
/** No child has it: the start is nobody's child. */
const NONE = 0;
const BYTE_VALUES = 256;

/** Time and memory are linear in the bytes of the patterns. No pattern may be empty. */
export function createPatternSearch(patterns: readonly Uint8Array[]): PatternSearch {
  const text = Buffer.concat(patterns);
  const size = text.length + 1;
  const byteOf = new Uint8Array(size);
  const firstChild = new Int32Array(size);
  const sibling = new Int32Array(size);
  const depth = new Int32Array(size);
  /** Where in `text` the bytes that lead to a state end. */
  const textEnd = new Int32Array(size);
  /** The state of the longest shorter end of those bytes that a pattern begins with. */
  const shorter = new Int32Array(size);
  /** Length of the longest pattern they end with; 0 for none. */
  const found = new Int32Array(size);

  const childOf = (state: number, byte: number): number => {
    let child = firstChild[state]!;
    while (child !== NONE && byteOf[child] !== byte) child = sibling[child]!;
    return child;
  };
  const follow = (from: number, byte: number): number => {
    let state = from;
    for (;;) {
      const child = childOf(state, byte);
      if (child !== NONE || state === START) return child;
      state = shorter[state]!;
    }
  };

  let states = 1;
  let at = 0;
  for (const pattern of patterns) {
    let state = START;
    for (const byte of pattern) {
      at++;
      let child = childOf(state, byte);
      if (child === NONE) {
        child = states++;
        byteOf[child] = byte;
        sibling[child] = firstChild[state]!;
        firstChild[state] = child;
        depth[child] = depth[state]! + 1;
        textEnd[child] = at;
      }
      state = child;
    }
    found[state] = pattern.length;
  }

  // By depth, so that what is shorter is complete. The first states have tables: ordinary text stays among them.
  const order = new Int32Array(states);
  const tables = new Int32Array(Math.min(states, SEARCH_TABLE_STATES) * BYTE_VALUES);
  const tableOf = new Int32Array(size).fill(-1);
  let ordered = 1;
  for (let index = 0; index < states; index++) {
    const state = order[index]!;
    const table = index * BYTE_VALUES;
    if (table < tables.length) {
      tableOf[state] = table;
      const inherited = tableOf[shorter[state]!]!;
      if (state !== START) tables.copyWithin(table, inherited, inherited + BYTE_VALUES);
    }
    for (let child = firstChild[state]!; child !== NONE; child = sibling[child]!) {
      const byte = byteOf[child]!;
      if (state !== START) shorter[child] = follow(shorter[state]!, byte);
      found[child] ||= found[shorter[child]!]!;
      if (table < tables.length) tables[table + byte] = child;
      order[ordered++] = child;
    }
  }

  return {
    read: (from, chunk, onFound) => {
      let state = from;
      for (let index = 0; index < chunk.length; index++) {
        const byte = chunk[index]!;
        // Most bytes of most texts begin no pattern.
        if (state === START && tables[byte] === START) continue;
        const table = tableOf[state]!;
        state = table < 0 ? follow(state, byte) : tables[table + byte]!;
        const length = found[state]!;
        if (length > 0) onFound(index + 1, length);
      }
      return state;
    },
    begun: (state) => text.subarray(textEnd[state]! - depth[state]!, textEnd[state]!),
  };
}
