import { DIGEST_BYTES, HASH_BYTES, MAGIC, type RecordKind, SHA256_BYTES } from './format.js';
import { DIGESTS_PER_RECORD, type PackLimits } from './limits.js';

/** Of a header, bytes: it has three short fields. */
const HEADER_MAX_BYTES = 1024;
/** The shortest JSON, bytes. */
const JSON_MIN_BYTES = 2;

/** What may follow what. */
export const NEXT: Readonly<Record<RecordKind, readonly RecordKind[]>> = {
  H: ['T'],
  T: ['T', 'S', 'B', 'N'],
  S: ['T', 'S', 'B', 'N'],
  B: ['B', 'N'],
  N: ['N', 'D'],
  D: ['D', 'E'],
  E: [],
};

/** Fewest and most bytes of each kind of record. */
export function lengthsOf(
  limits: PackLimits,
): Readonly<Record<RecordKind, readonly [number, number]>> {
  const { rowsMaxBytes: rows, nodeMaxBytes: node, bundleMaxBytes: bundle } = limits;
  return {
    H: [JSON_MIN_BYTES, HEADER_MAX_BYTES],
    T: [JSON_MIN_BYTES, rows],
    S: [JSON_MIN_BYTES, rows],
    B: [HASH_BYTES, bundle + HASH_BYTES],
    N: [HASH_BYTES, node + HASH_BYTES],
    D: [DIGEST_BYTES, DIGEST_BYTES * DIGESTS_PER_RECORD],
    E: [SHA256_BYTES, SHA256_BYTES],
  };
}

/** What the first line says; null: it is not that of a pack. */
export function versionOf(line: Buffer | null): number | null {
  const text = line?.toString('latin1') ?? '';
  const digits = text.startsWith(MAGIC) ? text.slice(MAGIC.length) : '';
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : null;
}
