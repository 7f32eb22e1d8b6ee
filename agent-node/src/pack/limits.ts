const MIB = 1024 * 1024;

/** Every limit of packs, with its unit in the name and its reason beside it. */
export type PackLimits = {
  /** One node, bytes: inputs may have 16 MiB, and JSON may write a text of 1 MiB six times as long. */
  nodeMaxBytes: number;
  /** Nodes of a pack: what is known of each while it is read takes some 100 bytes. */
  nodesMax: number;
  /** One record of rows, bytes: a thread's row with a long summary. */
  rowsMaxBytes: number;
  /** All rows of a pack, bytes: they are kept until its end. */
  allRowsMaxBytes: number;
  /** Threads of a pack: the one it is of, and what is nested in it. */
  threadsMax: number;
  /** Attempts at steps, of all threads of a pack. */
  attemptsMax: number;
  /** The file of a bundle, bytes. */
  bundleMaxBytes: number;
};

export const PACK_LIMITS: PackLimits = {
  nodeMaxBytes: 32 * MIB,
  nodesMax: 1_000_000,
  rowsMaxBytes: 8 * MIB,
  allRowsMaxBytes: 128 * MIB,
  threadsMax: 10_000,
  attemptsMax: 200_000,
  bundleMaxBytes: 32 * MIB,
};

/** Rows read from the store at a time, and of a record. */
export const PAGE_ROWS = 200;

/** A record of rows is closed once it has so many bytes. */
export const ROWS_RECORD_BYTES = 256 * 1024;

/** A pack leaves in pieces of about so many bytes: few enough to be fair to others, and not one write per node. */
export const CHUNK_BYTES = 64 * 1024;

/** What comes in is stored in transactions of about so many bytes and nodes: each holds up other writers for some 10 ms. */
export const BATCH_BYTES = MIB;
export const BATCH_NODES = 200;

/** Attempts at the step behind the last one that is done: more are not worth taking along. */
export const OPEN_ATTEMPTS_MAX = 200;

/** The first line, bytes. */
export const MAGIC_MAX_BYTES = 32;

/** Of a text in a row, characters: paths, and what a program said when it failed. */
export const TEXT_MAX_CHARACTERS = 4 * MIB;
export const PATH_MAX_CHARACTERS = 32 * 1024;

/** Of what a pack holds, quoted in an error. */
export const QUOTED_MAX_CHARACTERS = 60;

/** Entries of one digest record: 40 bytes each. */
export const DIGESTS_PER_RECORD = 1024;
