import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { METHODS, requestSchema, responseSchema } from './frame-types.js';
import { readRequestHead, readResponseHead } from './head-checks.js';

/** Mostly right, so that each mistake is met alone too. */
const mostly = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: right, weight: 12 }, { arbitrary: fc.anything(), weight: 1 });
const name = fc.oneof(
  fc.constantFrom('accept', 'x-a', 'set-cookie', '!#$%&*+.^_`|~0'),
  fc.string({ maxLength: 4 }),
);
const value = fc.oneof(
  fc.constantFrom('', 'a b', '\t', '\u00ff', '\u0080', '\u0100', '\n', 'a\r\nb', '\u007f'),
  fc.string({ maxLength: 6, unit: 'binary' }),
);
const headers = fc.array(
  fc.oneof(
    { arbitrary: fc.tuple(mostly(name), mostly(value)), weight: 12 },
    { arbitrary: fc.array(name, { maxLength: 4 }), weight: 1 },
  ),
  { maxLength: 4 },
);
const path = fc.oneof(
  fc.constantFrom('/', '/api/x?y=%2f', '', 'x', '/a b', '/\u00e9', '/a\n'),
  fc.string({ maxLength: 6 }).map((text) => `/${text}`),
);
const status = fc.oneof(fc.integer({ min: 190, max: 610 }), fc.constantFrom(200.5, Number.NaN, -0));
/** Fields that a later version may add are dropped. */
const withMore = (head: fc.Arbitrary<object>) =>
  mostly(
    fc.tuple(head, fc.constantFrom({}, { later: 1 })).map(([one, two]) => ({ ...one, ...two })),
  );

describe('the heads of requests and answers', () => {
  it.each([
    [
      'request',
      requestSchema,
      readRequestHead,
      withMore(
        fc.record(
          {
            method: mostly(fc.constantFrom(...METHODS, 'get', 'TRACE')),
            path: mostly(path),
            headers: mostly(headers),
            end: mostly(fc.boolean()),
          },
          { requiredKeys: ['path', 'headers'] },
        ),
      ),
    ],
    [
      'answer',
      responseSchema,
      readResponseHead,
      withMore(
        fc.record(
          { status: mostly(status), headers: mostly(headers), end: mostly(fc.boolean()) },
          { requiredKeys: ['status'] },
        ),
      ),
    ],
  ])('are those that the schema of a %s takes, as it gives them', (_name, schema, read, head) => {
    let good = 0;
    fc.assert(
      fc.property(head, (given) => {
        const parsed = schema.safeParse(given);
        if (parsed.success) good += 1;
        expect(read(given)).toEqual(parsed.success ? parsed.data : null);
      }),
      { numRuns: 3_000 },
    );
    expect(good).toBeGreaterThan(100);
  });
});
