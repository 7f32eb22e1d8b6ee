import type { NodeType } from '@uncaged/protocol/cas';
import type { Hash, Hasher, ThreadId } from '@uncaged/protocol/ids';
import type { Connection } from './connection.js';
import type { Nodes } from './node-table.js';

/** Long work on the whole store, in short slices between which everybody else gets on. */
export type UpkeepProgress = {
  phase: 'mark' | 'sweep' | 'compact' | 'verify';
  done: number;
  /** Null while it is not known. */
  total: number | null;
};

export type CollectOptions = {
  /** What the registry names; asked again before anything is deleted. The store cannot see the registry's file. */
  registryRoots: () => Promise<Iterable<Hash>>;
  /** What was touched later than this long ago stays, ms. 0: what was stored before now may go. */
  graceMs: number;
  /** Nothing is deleted; the result says what would be. */
  dryRun?: boolean;
  /** Writes the database file anew. Nobody else can write meanwhile, so it is refused while threads run. */
  compact?: boolean;
};

export type Collected = {
  dryRun: boolean;
  /** Heads and starts of threads, two for each thread. */
  scannedThreads: number;
  /** Nodes that are needed. */
  activeRefs: number;
  deletedEntries: number;
  deletedBytes: number;
  /** Not needed, but too young, or needed by one that is too young. */
  graceEntries: number;
  /** By which the database file became smaller. */
  freedBytes: number;
};

export type Damage = {
  hash: Hash;
  /** As the store has it; null when the entry is missing or its row cannot be read. */
  type: NodeType | null;
  reason: string;
  /** That reach it, at most DAMAGE_THREADS_MAX. */
  threads: ThreadId[];
  /** More threads reach it. */
  isCut: boolean;
};

export type Verified = {
  checked: number;
  /** Newly marked as damaged and put aside. */
  quarantined: number;
  /** At most DAMAGE_LISTED_MAX. */
  damaged: Damage[];
  damagedCount: number;
};

export type Upkeep = {
  /**
   * Deletes nodes that nothing needs: not reachable from a thread, the registry or an open question, and not touched for
   * `graceMs`. What a running step has stored ahead of its commit stays. Whoever ends the generator stops it between two
   * slices; what was deleted is. Throws in-use when this process collects or verifies already, or for `compact` while
   * threads run; store-busy, disk-full, store-damaged.
   */
  collect: (options: CollectOptions) => AsyncGenerator<UpkeepProgress, Collected, undefined>;
  /**
   * Hashes every node again. What is damaged is marked, its bytes are copied to the table `quarantine`; what was marked and
   * is good again is unmarked. Throws in-use, store-busy, disk-full.
   */
  verify: () => AsyncGenerator<UpkeepProgress, Verified, undefined>;
  /** Of the database file, without the pages that are free; what the file has after collecting, bytes. */
  usedBytes: () => number;
  /** Of a thread's states and what they alone lead to, bytes; forks may share some of it. */
  threadBytes: (id: ThreadId) => number;
};

export type UpkeepInput = {
  connection: Connection;
  nodes: Nodes;
  hasher: Hasher;
  clock: () => number;
  checkpoint: () => number;
};
