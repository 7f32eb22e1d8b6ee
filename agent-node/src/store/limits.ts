/** Every limit of the store, with its unit in the name and its reason beside it. */

/** Wait for another process's write before store-busy, ms: workers may block, a commit takes well under 1 ms. */
export const BUSY_TIMEOUT_MS = 5_000;

/** Opening, and a group commit, try again so often when the connection's own wait was shorter, ms. */
export const BUSY_RETRY_MS = 20;

/** Page cache of a connection, KiB: holds the inner pages of the hash index of some million nodes. */
export const PAGE_CACHE_KIB = 16 * 1024;

/** From the making of a new store's file to its first page, ms; an empty one that is older was cut off. */
export const STORE_MADE_WITHIN_MS = 1_000;

/** Pages in the WAL (8 MiB) from which a commit moves them itself: some 150 steps, far more than run within a second. */
export const WAL_CAP_PAGES = 2048;

/** A WAL that grew beyond this (one long reader) is cut back when it starts over, bytes. */
export const WAL_KEEP_BYTES = 64 * 1024 * 1024;

/** Works that share one transaction: 50 threads with two each fit, and one group stays under some 10 ms. */
export const GROUP_MAX_WORKS = 128;

/** Heads whose place in their chain is remembered: more than threads run at once (50), a few hundred bytes each. */
export const CHAIN_CACHE_MAX = 512;

/** Free space below this makes an I/O error of SQLite a full disk, bytes: it cannot grow its files by one extent. */
export const DISK_FULL_BELOW_BYTES = 1024 * 1024;

/** First bytes of an output kept in memory: where frontmatter stands. */
export const CONTENT_HEAD_BYTES = 64 * 1024;

/** Last bytes of an output kept in memory: where an answer object stands. */
export const CONTENT_TAIL_BYTES = 1024 * 1024;

/** Buffers of the content writer begin with this and double, bytes: most outputs are a few KB. */
export const BUFFER_START_BYTES = 1024;

/** Characters of a problem's message or a summary in an event; the row has all of it. */
export const EVENT_TEXT_MAX_CHARS = 500;

/** How long a client may repeat a request under its key, ms: a day of being cut off. */
export const IDEMPOTENCY_KEEP_MS = 24 * 60 * 60 * 1000;

/** Permissions of the root and of store.db: prompts and outputs are the user's own. */
export const ROOT_MODE = 0o700;
export const FILE_MODE = 0o600;

/**
 * What the collector does in one transaction, ms, and how long it lets others write then. SQLite's waiting writers ask after
 * 1, 3, 8, 18, 33, 53, 78 and 103 ms: with half of the time theirs, all but a few in a thousand find the lock free by then.
 */
export const UPKEEP_SLICE_MS = 5;
export const UPKEEP_PAUSE_MS = 5;

/** Rows that the collector reads at a time: some 5 ms. */
export const UPKEEP_PAGE_ROWS = 5_000;

/** A slice waits so long for others to let it write before it gives up, ms: several of a worker's own waits. */
export const UPKEEP_BUSY_MAX_MS = 30_000;

/** Between two reports of progress, ms: some ten a second. */
export const PROGRESS_EVERY_MS = 100;

/** Slices between two looks at the WAL: about as much as WAL_CAP_PAGES holds. */
export const UPKEEP_CHECKPOINT_SLICES = 32;

/** Pages (64 MiB) that a long reader may keep in the WAL before the collector waits for it, so that it does not fill the disk. */
export const UPKEEP_WAL_MAX_PAGES = 16_384;

/** It waits so long for that reader, ms: any page of a list or text takes far less. */
export const UPKEEP_READER_MAX_MS = 60_000;

/** Between two looks whether that reader is through, ms. */
export const UPKEEP_READER_LOOK_MS = 50;

/** Pages given back to the file system in the first slice; the next ones adapt to UPKEEP_SLICE_MS. */
export const VACUUM_START_PAGES = 64;

/** What nothing needs stays so long unless told otherwise, ms: whoever stored it has made use of it by then. */
export const GC_GRACE_MS = 60 * 60 * 1000;

/** Threads named beside a damaged entry. */
export const DAMAGE_THREADS_MAX = 50;

/** Damaged entries listed one by one; all are counted. */
export const DAMAGE_LISTED_MAX = 200;
