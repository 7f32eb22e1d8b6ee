const KIB = 1024;
const MIB = 1024 * KIB;

/** The file begins anew after so many: half a million records. One older file is kept. */
export const FILE_MAX_BYTES = 128 * MIB;
/** Read at once, going backwards: a page of 50 records has some 10 KiB. */
export const CHUNK_BYTES = 64 * KIB;
/** A longer line is damaged; a record is cut to fit. */
export const LINE_MAX_BYTES = 32 * KIB;
/** Of a text of a record (paths may be long): four of them in UTF-8 and escaped (6 bytes each) stay below a line. */
export const TEXT_MAX_CHARACTERS = 800;
/** Waiting to be written while the disk is slow; more are lost and counted. */
export const QUEUE_MAX_BYTES = 16 * MIB;
/** A disk that stays full is told of once in this time. */
export const COMPLAINT_EVERY_MS = 60_000;
