/** Read of a log at once, bytes. */
export const LOG_READ_BYTES = 64 * 1024;

/** A line longer than this is given in pieces, characters: a log is no place where memory may end. */
export const LOG_LINE_MAX_CHARS = 1024 * 1024;

/** Age from which `log clean` removes logs unless told otherwise. */
export const LOG_CLEAN_AGE = '30d';
