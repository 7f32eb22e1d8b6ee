/** One argument of a program, bytes: Linux allows 128 KiB with its end, macOS 1 MiB for all together with the environment. */
export const ARGUMENT_MAX_BYTES = 96 * 1024;

/** End of stderr that is kept to be quoted when a program fails, bytes. */
export const NOISE_TAIL_BYTES = 16 * 1024;

/** Lines of it that are quoted. */
export const NOISE_QUOTE_LINES = 10;

/** Characters of one quoted line: progress bars and dumps are long. */
export const NOISE_QUOTE_LINE_CHARS = 500;

/** Added to a signal's number it is the exit code that shells give a process which a signal ended. */
export const SIGNAL_EXIT_BASE = 128;

/**
 * Shortest secret that is masked, characters. A shorter one (`1`, `on`) stands in almost every text: masking it would break
 * answers, and where the asterisks are would still tell what it is.
 */
export const SECRET_MASK_MIN_CHARS = 4;

/** Shortest secret whose JSON, URL and base64 forms are masked, characters: those of shorter ones are ordinary letter groups. */
export const SECRET_FORMS_MIN_CHARS = 6;

/** States of a search that have a table of 1 KiB with the next state for each byte; the others follow links, which is slower. */
export const SEARCH_TABLE_STATES = 256;
