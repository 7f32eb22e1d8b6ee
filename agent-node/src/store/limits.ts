/** Every limit of the store, with its unit in the name and its reason beside it. */

/** Wait for another process's write before store-busy, ms: workers may block, a commit takes well under 1 ms. */
export const BUSY_TIMEOUT_MS = 5_000;

/** Opening, and a group commit, try again so often when the connection's own wait was shorter, ms. */
export const BUSY_RETRY_MS = 20;

/** Page cache of a connection, KiB: holds the inner pages of the hash index of some million nodes. */
export const PAGE_CACHE_KIB = 16 * 1024;

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
