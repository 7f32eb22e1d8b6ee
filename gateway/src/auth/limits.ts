const DAY_S = 24 * 60 * 60;

/** A secret of fewer could be guessed even at ten tries a minute. */
export const KEY_MIN_CHARACTERS = 16;
/** Far more than any generator makes; a longer file is not a key, and POST /api/session takes no more than 4096. */
export const KEY_MAX_CHARACTERS = 1024;
/** Of a generated key: as many as the hash that signs with it. */
export const KEY_BYTES = 32;

/** Of a token's id: 22 of 62 characters are 130 bits. */
export const TOKEN_ID_CHARACTERS = 22;
/** Of what is tried as a token: POST /api/session takes no more. A token has some 250. */
export const TOKEN_MAX_CHARACTERS = 4096;
/** A session ends after so long, also when its token does not: a forgotten browser is not logged in for ever. */
export const SESSION_MAX_S = 30 * DAY_S;

/** Verified tokens that are remembered, of each kind: a thousand nodes and their readers, some 2 MiB. */
export const VERIFIED_MAX = 4096;

/** Addresses whose wrong secrets are counted: 1 MiB. Beyond, the one that began first is forgotten. */
export const ADDRESSES_MAX = 10_000;
/** Of a client's address that is none: what a proxy made up. An IPv6 address has 45. */
export const ADDRESS_MAX_CHARACTERS = 64;
