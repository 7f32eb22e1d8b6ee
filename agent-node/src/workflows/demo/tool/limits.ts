/** Bounds of the demo: it has to answer in seconds on any repository, and say what it left out. */

/** Tracked files looked at; past this only the number of files is reported. */
export const FILES_MAX = 100_000;

/** Output kept of one git command, bytes: 100,000 names of 300 bytes with room to spare. */
export const GIT_OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

/** One git command, ms. A repository on a slow network disk is reported as such instead of waited for. */
export const GIT_TIMEOUT_MS = 20_000;

/** Counting every commit, ms: nice to know, never worth a wait. */
export const COMMIT_COUNT_TIMEOUT_MS = 3_000;

/** Listing untracked files, or comparing the working tree with the last commit, ms: git reads changed files whole. */
export const WORKTREE_TIMEOUT_MS = 5_000;

/** Kept of what a command says on stderr (its beginning), and shown of it, characters. */
export const STDERR_KEPT_CHARS = 4_000;
export const STDERR_SHOWN_CHARS = 300;

/** A file read for counting lines or for a check, bytes. Larger ones are left out and counted. */
export const READ_FILE_MAX_BYTES = 2 * 1024 * 1024;

/** A YAML file parsed, bytes: the parser handles a few MB a second. */
export const YAML_FILE_MAX_BYTES = 512 * 1024;

/** Read by one step over all files, bytes, and ms spent on it; what is left then is reported as left out. */
export const READ_TOTAL_MAX_BYTES = 1024 * 1024 * 1024;
export const READ_TIME_MAX_MS = 15_000;

/** Share of the reading time that one kind of check may use, ms, so that slow ones do not starve the rest. */
export const CHECK_TIME_MAX_MS = 3_000;

/** Looked at for a NUL byte to tell text from binary, bytes: what git looks at. */
export const BINARY_PROBE_BYTES = 8_000;

/** A file worth pointing out for its size, bytes: hosting services begin to complain not far above. */
export const OUTSIZED_BYTES = 5 * 1024 * 1024;

/** Shell scripts checked, one process of about 3 ms each, and the time for one, ms. */
export const SCRIPTS_MAX = 200;
export const SCRIPT_CHECK_TIMEOUT_MS = 5_000;

/** A line of Markdown searched for links, characters; longer ones are data, and patterns are slow on them. */
export const MARKDOWN_LINE_MAX_CHARS = 10_000;

/** Broken modules whose line is looked up by a process of its own (about 40 ms each). */
export const MODULE_LOCATE_MAX = 20;

/** Nesting of a YAML file: its parser recurses, and Node dies without an error when the stack ends at a bad moment. */
export const YAML_MAX_DEPTH = 400;

/** Nesting of a JSON file that is located in; V8 itself parses deeper. */
export const JSON_SCAN_MAX_DEPTH = 1_000;

/** Findings kept of one check: past this only the count grows. */
export const FINDINGS_KEPT = 500;

/** Findings of one check listed in the answer of a closer look. */
export const FINDINGS_LISTED = 40;

/** Findings of one check carried on to the report, and bytes of all of them: a meta stays a few kB. */
export const FINDINGS_CARRIED = 8;
export const FINDINGS_CARRIED_BYTES = 4_000;

/** Checks looked at closely in one round, and rounds: the loop always ends. */
export const FOCUS_CHECKS = 4;
export const ROUNDS_MAX = 3;

/** Commits of history read, and how far back from the newest one, seconds. */
export const HISTORY_COMMITS_MAX = 2_000;
export const HISTORY_WINDOW_SECONDS = 365 * 24 * 3_600;

/** A commit that touches more files is a sweep (import, reformat) and says nothing about single files. */
export const SWEEP_FILES = 200;

/** Hot spots and directories reported. */
export const HOT_FILES = 10;
export const HOT_DIRECTORIES = 5;

/** Languages and large files reported by the survey. */
export const LANGUAGES_LISTED = 8;
export const LARGE_FILES_LISTED = 5;

/** A name, a text quoted from elsewhere, and a whole message as shown, characters; longer ones lose their middle. */
export const SHOWN_NAME_CHARS = 100;
export const SHOWN_QUOTE_CHARS = 120;
export const SHOWN_MESSAGE_CHARS = 220;
