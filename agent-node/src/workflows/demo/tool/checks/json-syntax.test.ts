import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonError } from './json-scanner.js';
import { judgeJson } from './json-syntax.js';

const strict = { relaxed: false };
const relaxed = { relaxed: true };

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('findJsonError', () => {
  it('accepts whatever JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 2), (value, indent) => {
        expect(findJsonError(JSON.stringify(value, null, indent), strict)).toBeNull();
      }),
    );
  });

  it('agrees with JSON.parse about texts that were damaged at one place', () => {
    const edit = fc.tuple(
      fc.jsonValue(),
      fc.nat(),
      fc.nat(3),
      fc.constantFrom('', ',', '}', ']', '"', '1', ' ', '\u00a0', 'x', ':', '-', '\\'),
    );
    fc.assert(
      fc.property(edit, ([value, at, drop, insert]) => {
        const text = JSON.stringify(value);
        const from = at % (text.length + 1);
        const damaged = text.slice(0, from) + insert + text.slice(from + drop);
        expect(findJsonError(damaged, strict) === null).toBe(parses(damaged));
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes comments and trailing commas only in the relaxed dialect', () => {
    const text = '{ // why\n "a": [1, 2,], /* b */ "c": {},\n}';
    expect(findJsonError(text, relaxed)).toBeNull();
    expect(findJsonError(text, strict)?.message).toContain('comment');
    expect(findJsonError('[1,,]', relaxed)?.offset).toBe(3);
    expect(findJsonError('{} /* open', relaxed)?.message).toContain('does not end');
  });

  it('survives any nesting', () => {
    expect(findJsonError('['.repeat(1_000_000), strict)?.message).toContain('deep');
  });
});

describe('judgeJson', () => {
  it('names the line and says when only comments are in the way', () => {
    expect(judgeJson('a/b.json', '{\n "a": 1,\n}')).toEqual({
      faults: [{ line: 3, what: 'a comma before `}` (fine as JSON with comments)' }],
    });
    expect(judgeJson('a/b.json', '{"a": tru}')).toMatchObject({ faults: [{ line: 1 }] });
  });

  it('knows the files whose readers take comments', () => {
    for (const key of [
      'tsconfig.json',
      'p/tsconfig.base.json',
      '.vscode/x.json',
      'x.jsonc',
      '.eslintrc.json',
    ]) {
      expect(judgeJson(key, '{ /* x */ "a": 1, }')).toEqual({ faults: [] });
    }
  });

  it('survives a text of megabytes that never ends', () => {
    expect(judgeJson('x.json', `"${'a'.repeat(2_000_000)}`)).not.toEqual({ faults: [] });
    expect(judgeJson('x.json', `"${'\\\\n'.repeat(500_000)}`)).not.toEqual({ faults: [] });
  });

  it('leaves templates alone', () => {
    expect(judgeJson('x.json', '{"a": {{ name }} }')).toEqual({ skipped: 'with template marks' });
  });
});
