import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretMask } from './secret-mask.js';

const mask = (secrets: readonly string[], text: string | Uint8Array) =>
  maskChunks(secrets, [Buffer.from(text)]).toString('latin1');

function maskChunks(secrets: readonly string[], chunks: readonly Uint8Array[]): Buffer {
  const masking = createSecretMask(secrets);
  return Buffer.concat([...chunks.map((chunk) => masking.add(chunk)), masking.end()]);
}

function cut(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = cuts.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index]));
}

/** What is found by looking at each place for each byte string, without any cleverness. */
function maskPlainly(patterns: readonly Buffer[], bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let done = 0;
  let open = false;
  for (let at = 0; at < bytes.length; at++) {
    const ends = patterns
      .filter((pattern) => bytes.subarray(at, at + pattern.length).equals(pattern))
      .map((pattern) => at + pattern.length);
    const end = Math.max(0, ...ends);
    if (end > 0 && at >= done) pieces.push(Buffer.from('***'));
    open = end > 0 || at < done;
    if (!open) pieces.push(bytes.subarray(at, at + 1));
    done = Math.max(done, end);
  }
  return Buffer.concat(pieces);
}

// Few letters: secrets overlap, contain and repeat each other.
const letters = fc.constantFrom('a', 'b');
const overlapping = fc.array(fc.string({ unit: letters, minLength: 4, maxLength: 9 }), {
  minLength: 1,
  maxLength: 4,
});
const cuts = fc.array(fc.nat(), { maxLength: 12 });

const encodings: Record<string, (secret: string) => string> = {
  raw: (secret) => secret,
  json: (secret) => JSON.stringify({ key: secret }),
  uri: encodeURIComponent,
  form: (secret) => new URLSearchParams({ key: secret }).toString(),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  'base64, one byte before': (secret) => Buffer.from(`x${secret}yz`).toString('base64'),
  'base64, two bytes before': (secret) => Buffer.from(`xx${secret}y`).toString('base64'),
  base64url: (secret) => Buffer.from(`user:${secret}`).toString('base64url'),
};

describe('createSecretMask', () => {
  it('replaces what a plain search finds, however the secrets overlap and the stream is cut', () => {
    fc.assert(
      fc.property(
        overlapping,
        fc.string({ unit: letters, maxLength: 60 }),
        cuts,
        (secrets, text, places) => {
          const bytes = Buffer.from(text);
          const expected = maskPlainly(
            secrets.map((secret) => Buffer.from(secret)),
            bytes,
          );
          expect(maskChunks(secrets, cut(bytes, places)).toString()).toBe(expected.toString());
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('lets no form of a secret survive, and gives the same for every cutting', () => {
    const length = { minLength: 6, maxLength: 40 };
    const secret = fc.oneof(
      fc.string({ unit: 'grapheme-ascii', ...length }),
      fc.string({ unit: 'binary', ...length }),
    );
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 3 }),
        fc.array(
          fc.tuple(
            fc.uint8Array({ maxLength: 20 }),
            fc.nat(),
            fc.constantFrom(...Object.keys(encodings)),
          ),
          { maxLength: 6 },
        ),
        cuts,
        (drawn, parts, places) => {
          // The replacement itself would be a secret, or complete one.
          const secrets = drawn.map((text) => text.toWellFormed().replaceAll('*', '-'));
          const chosen = parts.map(([noise, n, form]) => ({
            noise,
            form: Buffer.from(encodings[form]!(secrets[n % secrets.length]!)),
          }));
          const bytes = Buffer.concat(chosen.flatMap(({ noise, form }) => [noise, form]));
          const masked = maskChunks(secrets, [bytes]);
          for (const text of secrets) expect(masked.includes(text)).toBe(false);
          for (const { form } of chosen) expect(masked.includes(form)).toBe(false);
          expect(maskChunks(secrets, cut(bytes, places)).equals(masked)).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('passes every byte that is not of a secret, also what is not UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), cuts, (bytes, places) => {
        const secrets = ['not-in-random-bytes'];
        expect(maskChunks(secrets, cut(bytes, places)).equals(bytes)).toBe(true);
      }),
    );
    expect(mask(['s3cr3t'], Buffer.from('caf\xe9\xff s3cr3t \xe2\x82', 'latin1'))).toBe(
      'caf\xe9\xff *** \xe2\x82',
    );
  });

  it('holds back only what may begin a secret, and gives it at the end', () => {
    const masking = createSecretMask(['s3cr3t-value']);
    const add = (text: string) => Buffer.from(masking.add(Buffer.from(text))).toString();
    expect(add('key: s3cr3t-valu')).toBe('key: ');
    expect(add('e, then s3')).toBe('***, then ');
    expect(add('s')).toBe('s3');
    expect(Buffer.from(masking.end()).toString()).toBe('s');
    expect(Buffer.from(masking.end()).toString()).toBe('');
  });

  it('never holds back as much as the longest form', () => {
    const secret = 'aaaaaaaaab';
    const longest = 13; // digits of its base64
    fc.assert(
      fc.property(fc.string({ unit: letters, maxLength: 80 }), cuts, (text, places) => {
        const masking = createSecretMask([secret]);
        let received = 0;
        let given = 0;
        for (const chunk of cut(Buffer.from(text.replaceAll(secret, '')), places)) {
          received += chunk.length;
          given += masking.add(chunk).length;
          if (!text.includes(secret)) expect(received - given).toBeLessThan(longest);
        }
      }),
    );
  });

  it('takes the longest of secrets that contain each other, and one that shares its end with the next', () => {
    expect(mask(['token', 'token-long'], 'token token-long token-lon')).toBe('*** *** ***-lon');
    expect(mask(['abcde', 'defgh'], '<abcdefgh>')).toBe('<***>');
    expect(mask(['abcde'], '<abcdeabcde>')).toBe('<******>');
  });

  it.each([
    [
      'a line break and quotes in JSON',
      'say "hi"\nthere',
      '{"k":"say \\"hi\\"\\nthere"}',
      '{"k":"***"}',
    ],
    ['JSON that keeps to ASCII', 'schlüssel-€-😀', 'schl\\u00fcssel-\\u20ac-\\ud83d\\ude00', '***'],
    ['JSON with escaped slashes', 'ab/cd/ef', '"ab\\/cd\\/ef"', '"***"'],
    ['a URL', 'p&ss wörd/1', '?k=p%26ss%20w%C3%B6rd%2F1&x', '?k=***&x'],
    [
      'a URL with small hexadecimal digits',
      'p&ss wörd/1',
      '?k=p%26ss%20w%c3%b6rd%2f1&x',
      '?k=***&x',
    ],
    ['a form', "it's a key!", 'k=it%27s+a+key%21', 'k=***'],
  ])('knows the secret in %s', (_, secret, text, masked) => {
    expect(mask([secret], text)).toBe(masked);
  });

  it('leaves of base64 only the digits that hold bits of the neighbours', () => {
    const secret = 'correct horse battery';
    const basic = (text: string) => Buffer.from(text).toString('base64');
    expect(mask([secret], `Basic ${basic(secret)}`)).toBe('Basic ***');
    expect(mask([secret], basic(`u:${secret}:end`))).toMatch(/^.{3}\*\*\*.{0,7}$/);
    expect(mask(['??>>??>>'], Buffer.from('??>>??>>').toString('base64url'))).toMatch(/^\*\*\*.?$/);
  });

  it('leaves a secret of a few characters alone, or its other forms', () => {
    expect(mask(['1', 'on', ''], '1 on')).toBe('1 on');
    expect(mask(['a b c'], 'a b c, a%20b%20c')).toBe('***, a%20b%20c');
  });
});
