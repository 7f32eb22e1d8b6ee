import { Problem } from '@uncaged/protocol/problem';

/*
 * The form of a pack (docs/pack.md): a line of text, then records: one byte that says what it is, four that say how long it is
 * (big-endian), and the payload.
 */

/** Of the form; another one is another number. */
export const PACK_VERSION = 1;

/** How the first line begins; then the version and a line break. */
export const MAGIC = 'uwfpack ';

/** What the name of a pack's file ends with. */
export const PACK_EXTENSION = '.uwfpack';

/** Kinds of records, in the order in which they come. */
export const RECORD = {
  header: 'H',
  thread: 'T',
  steps: 'S',
  bundle: 'B',
  node: 'N',
  digests: 'D',
  end: 'E',
} as const;

export type RecordKind = (typeof RECORD)[keyof typeof RECORD];

/** Kind and length before each payload. */
export const RECORD_HEAD_BYTES = 5;

/** XXH64 before the bytes of a node or bundle, and in the digests. */
export const HASH_BYTES = 8;
export const SHA256_BYTES = 32;
export const DIGEST_BYTES = HASH_BYTES + SHA256_BYTES;

/** The first line. */
export function magicLine(): Uint8Array {
  return Buffer.from(`${MAGIC}${PACK_VERSION}\n`);
}

/** Head of a record. */
export function recordHead(kind: RecordKind, length: number): Uint8Array {
  const head = Buffer.alloc(RECORD_HEAD_BYTES);
  head.write(kind, 0, 'latin1');
  head.writeUInt32BE(length, 1);
  return head;
}

/** What is wrong with a pack, and at which byte of it. */
export function invalidPack(what: string, at: number | null, cause?: unknown): Problem {
  const where = at === null ? '' : ` (at byte ${at})`;
  return new Problem(
    'invalid-pack',
    `The pack cannot be taken: ${what}${where}. Nothing of it is shown; export or copy it again.`,
    { cause },
  );
}
