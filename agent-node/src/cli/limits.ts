/** Columns of help texts where the terminal does not say. */
export const HELP_DEFAULT_COLUMNS = 100;

/** A node given to `cas put --node`, bytes: its largest part is a text of 1 MiB, which JSON may write six times as long. */
export const NODE_INPUT_MAX_BYTES = 8 * 1024 * 1024;

/** Rows read from the store at a time. */
export const STORE_PAGE_ROWS = 200;

/** Of a value that is quoted in an error. */
export const QUOTED_MAX_CHARACTERS = 40;

/** Of what commander says of a command line; it repeats the words it does not understand. */
export const USAGE_REASON_MAX_CHARACTERS = 300;

/** Prefixes of ids shorter than this meet by chance: six characters are 30 bits. */
export const ID_PREFIX_MIN_CHARACTERS = 6;

/** Ids shown when a prefix is that of several. */
export const ID_CANDIDATES_SHOWN = 4;

/** A token file, bytes: a signed token has some hundred. */
export const TOKEN_MAX_BYTES = 8 * 1024;
