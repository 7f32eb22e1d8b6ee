/** Characters that `step read` prints unless told otherwise: about a thousand tokens, what another agent can read in passing. */
export const READ_QUOTA_DEFAULT = 4_000;

/** UTF-8 bytes that hold so many characters at least: a UTF-16 unit takes three at most. */
export const BYTES_PER_CHARACTER = 3;

/** Longest name of a tool in a bullet, characters: the rest of a name tells nothing. */
export const TOOL_NAME_MAX_CHARS = 100;
