import { z } from 'zod';

/** XXH64 (seed 0) as 13 Crockford Base32 characters, left-aligned: the text form of every content address. */
export type Hash = string;

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Accepted without a parity rule: text of the right shape that no bytes hash to is simply unknown. */
export const hashSchema = z
  .string()
  .regex(/^[0-9A-HJKMNP-TV-Z]{13}$/, 'must be a hash: 13 digits and capital letters');

/** 8 bytes, big-endian digest → text. 64 bits are cut from the top in fives; the last group has four and gets a zero. */
export function encodeHash(digest: Uint8Array): Hash {
  const high = ((digest[0]! << 24) | (digest[1]! << 16) | (digest[2]! << 8) | digest[3]!) >>> 0;
  const low = ((digest[4]! << 24) | (digest[5]! << 16) | (digest[6]! << 8) | digest[7]!) >>> 0;
  return (
    ALPHABET[high >>> 27]! +
    ALPHABET[(high >>> 22) & 31]! +
    ALPHABET[(high >>> 17) & 31]! +
    ALPHABET[(high >>> 12) & 31]! +
    ALPHABET[(high >>> 7) & 31]! +
    ALPHABET[(high >>> 2) & 31]! +
    ALPHABET[((high & 3) << 3) | (low >>> 29)]! +
    ALPHABET[(low >>> 24) & 31]! +
    ALPHABET[(low >>> 19) & 31]! +
    ALPHABET[(low >>> 14) & 31]! +
    ALPHABET[(low >>> 9) & 31]! +
    ALPHABET[(low >>> 4) & 31]! +
    ALPHABET[(low & 15) << 1]!
  );
}

/** Value of each character by its code; NO_DIGIT where it is none. */
const NO_DIGIT = 255;
const DIGITS = new Uint8Array(128).fill(NO_DIGIT);
for (const [value, character] of [...ALPHABET].entries()) DIGITS[character.charCodeAt(0)] = value;

/** Text → 8 bytes, or null when no digest has this text (wrong shape, or an odd last digit). */
export function decodeHash(text: Hash): Uint8Array | null {
  if (text.length !== 13) return null;
  // Six digits are the first 30 bits, six more the next 30, the last holds the lowest four and a zero.
  let head = 0;
  let tail = 0;
  for (let index = 0; index < 12; index += 1) {
    const digit = DIGITS[text.charCodeAt(index)] ?? NO_DIGIT;
    if (digit === NO_DIGIT) return null;
    if (index < 6) head = (head << 5) | digit;
    else tail = (tail << 5) | digit;
  }
  const last = DIGITS[text.charCodeAt(12)] ?? NO_DIGIT;
  if (last === NO_DIGIT || (last & 1) === 1) return null;
  const high = (head << 2) | (tail >>> 28);
  const low = (tail << 4) | (last >>> 1);
  const digest = new Uint8Array(8);
  digest[0] = high >>> 24;
  digest[1] = high >>> 16;
  digest[2] = high >>> 8;
  digest[3] = high;
  digest[4] = low >>> 24;
  digest[5] = low >>> 16;
  digest[6] = low >>> 8;
  digest[7] = low;
  return digest;
}
