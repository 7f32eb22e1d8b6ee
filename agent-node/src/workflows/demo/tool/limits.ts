/** Bounds of the demo: it has to answer in seconds on any repository, and say what it left out. */

/** Tracked files looked at; past this only the number of files is reported. */
export const FILES_MAX = 100_000;

/** Output kept of one git command, bytes: 100,000 names of 300 bytes with room to spare. */
export const GIT_OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

/** One git command, ms: a last resort on slow disks. What is done is bounded by numbers, so that load changes nothing. */
export const GIT_TIMEOUT_MS = 30_000;

/** Commits counted for the age of a repository: with more it is only said how many were read. */
export const COMMITS_COUNTED_MAX = 50_000;

/** Kept of what a command says on stderr (its beginning), and shown of it, characters. */
export const STDERR_KEPT_CHARS = 4_000;
export const STDERR_SHOWN_CHARS = 300;

/** A file read for counting lines or for a check, bytes. Larger ones are left out and counted. */
export const READ_FILE_MAX_BYTES = 2 * 1024 * 1024;

/** Read by one step over all files, bytes; what is left then is reported as left out. */
export const READ_TOTAL_MAX_BYTES = 1024 * 1024 * 1024;

/** Reading of one step, ms: a last resort on slow disks, well below the step's own time. */
export const READ_TIME_MAX_MS = 60_000;

/** Given to the parsers of one kind, bytes: each is about a second of work. */
export const JSON_TOTAL_MAX_BYTES = 100 * 1024 * 1024;
export const JAVASCRIPT_TOTAL_MAX_BYTES = 24 * 1024 * 1024;
export const MARKDOWN_TOTAL_MAX_BYTES = 24 * 1024 * 1024;
export const YAML_TOTAL_MAX_BYTES = 50 * 1024 * 1024;

/** YAML beyond its plain subset, bytes of one file and of all: its full parser handles one MB a second. */
export const YAML_FULL_FILE_MAX_BYTES = 256 * 1024;
export const YAML_FULL_TOTAL_MAX_BYTES = 1024 * 1024;

/** Looked at for a NUL byte to tell text from binary, bytes: what git looks at. */
export const BINARY_PROBE_BYTES = 8_000;

/** A file worth pointing out for its size, bytes: hosting services begin to complain not far above. */
export const OUTSIZED_BYTES = 5 * 1024 * 1024;

/** Shell scripts checked, one process of about 3 ms each, and how many one driver process gets. */
export const SCRIPTS_MAX = 300;
export const SCRIPTS_PER_PROCESS = 50;

/** Said by the shells about one batch of scripts, bytes: a line or two for each. */
export const SCRIPTS_OUTPUT_MAX_BYTES = 1024 * 1024;

/** A process that only parses, ms: a last resort. */
export const PARSE_TIMEOUT_MS = 20_000;

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

/** Findings in the meta of a closer look: of one check, and characters of all; a meta should be read at a glance. */
export const EXAMPLES_PER_CHECK = 5;
export const EXAMPLES_MAX_CHARS = 500;

/** Checks looked at closely in one round, and rounds: the loop always ends. */
export const FOCUS_CHECKS = 3;
export const ROUNDS_MAX = 4;

/** Commits of history read, and how far back from the newest one, seconds. */
export const HISTORY_COMMITS_MAX = 2_000;
export const HISTORY_WINDOW_SECONDS = 365 * 24 * 3_600;

/** A commit that touches more files is a sweep (import, reformat) and says nothing about single files. */
export const SWEEP_FILES = 200;

/** Hot spots and directories in the answer, and of them in the meta. */
export const HOT_FILES = 10;
export const HOT_FILES_CARRIED = 3;
export const HOT_DIRECTORIES = 5;
export const HOT_DIRECTORIES_CARRIED = 3;

/** Languages and large files in the answer of the survey, and of them in the meta. */
export const LANGUAGES_LISTED = 8;
export const LANGUAGES_CARRIED = 6;
export const LARGE_FILES_LISTED = 5;
export const LARGE_FILES_CARRIED = 3;

/** A name, a text quoted from elsewhere, and a whole message as shown, characters; longer ones lose their middle. */
export const SHOWN_NAME_CHARS = 100;
export const SHOWN_QUOTE_CHARS = 120;
export const SHOWN_MESSAGE_CHARS = 220;
