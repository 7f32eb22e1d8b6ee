/** Limits of accepting links that nobody needs to set; what is set is in the gateway's `limits.ts`. */

const SECOND_MS = 1000;

/** A node that is told to come back waits from 1 s up to this, at random, s: a thousand of them must not come back together. */
export const RETRY_SPREAD_S = 5;

/**
 * Newcomers of one name that may wait while another one is decided on. Each decision takes up to `probeMs` (5 s), and a node
 * waits 10 s for WELCOME: who would stand further back is better told at once.
 */
export const WAITING_MAX = 1;

/** Names whose generations are counted each for itself: far above the nodes of a gateway; a hostile one may invent more. */
export const NAMES_MAX = 10_000;

/** Longest time between two looks at expired tokens, ms: the clock of the machine may be set, and timers end at 24 days. */
export const EXPIRY_LOOK_MAX_MS = 60 * SECOND_MS;

/** At the end a socket may take so long to close in order, ms; a frozen peer must not hold the process up. */
export const FAREWELL_MAX_MS = SECOND_MS;

/** Text of others in a line of the log, characters. */
export const LOGGED_TEXT_MAX = 200;
