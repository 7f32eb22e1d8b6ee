import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeHash, encodeHash, type Hasher, hashSchema, loadHasher } from './index.js';

describe('the text form of a hash', () => {
  let hash: (text: string) => string;
  beforeAll(async () => {
    const hasher: Hasher = await loadHasher();
    hash = (text) => encodeHash(hasher(new TextEncoder().encode(text)));
  });

  const planner = ['alpha', 'beta', 'gamma', ...[4, 5, 6, 7, 8, 9, 10, 11].map((n) => `LINE${n}`)];
  it.each([
    ['nothing', '', 'XX3DPDTHV3MSJ'],
    ['abc', 'abc', '8JY2SXDDEW4SJ'],
    ['a short node', 'type: content\npayload: patch\nchildren: []\n', 'EN34XX1W4WAFJ'],
    ['another node', 'type: content\npayload: still running\nchildren: []\n', 'P6M9FHE1GSBN0'],
    [
      'a node of many lines',
      `type: content\npayload: |-\n${planner.map((line) => `  ${line}\n`).join('')}children: []\n`,
      'FF7YQ5W3S2EV6',
    ],
  ])('of %s is the golden one', (_name, text, expected) => {
    expect(hash(text)).toBe(expected);
  });

  it('is told from every other one of the same bytes', async () => {
    const hasher = await loadHasher();
    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.nat(7),
        fc.integer({ min: 1, max: 255 }),
        (bytes, at, bits) => {
          const digest = hasher(bytes);
          expect(hasher.matches(bytes, digest)).toBe(true);
          digest[at]! ^= bits;
          expect(hasher.matches(bytes, digest)).toBe(false);
        },
      ),
    );
  });

  it('gives every digest back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 8 }), (digest) => {
        const text = encodeHash(digest);
        expect(hashSchema.safeParse(text).success).toBe(true);
        expect(decodeHash(text)).toEqual(digest);
      }),
    );
  });

  it('of other text is nobody’s digest', () => {
    for (const text of [
      '',
      '../x',
      '0000000000001',
      '000000000000I',
      'é000000000000',
      '0'.repeat(14),
    ]) {
      expect(decodeHash(text)).toBeNull();
    }
    fc.assert(
      fc.property(fc.string({ minLength: 13, maxLength: 13, unit: 'binary' }), (text) => {
        const digest = decodeHash(text);
        if (digest !== null) expect(encodeHash(digest)).toBe(text);
      }),
    );
  });
});
