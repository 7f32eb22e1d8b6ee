import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYamlSource } from './yaml-source.js';

const firstOf = (text: string) => {
  const { code, line, column } = parseYamlSource(text).findings[0] ?? {
    code: 'none',
    line: 0,
    column: 0,
  };
  return { code, line, column };
};

describe('parseYamlSource', () => {
  it.each([
    [
      'duplicate keys',
      'a: 1\nb:\n  c: 1\n  c: 2\n',
      { code: 'yaml-duplicate-key', line: 4, column: 3 },
    ],
    ['a tab as indentation', 'a:\n\tb: 1\n', { code: 'yaml-tab', line: 2, column: 1 }],
    ['two documents', 'a: 1\n---\nb: 2\n', { code: 'yaml-syntax', line: 2, column: 1 }],
    ['an open brace', '{', { code: 'yaml-syntax', line: 1, column: 2 }],
    ['an unquoted colon', 'a: 1\nb: c: d\n', { code: 'yaml-syntax', line: 2, column: 4 }],
    ['NUL bytes', 'a: 1\nb: \0', { code: 'control-character', line: 2, column: 4 }],
    ['an unknown anchor', 'a: 1\nb: *x\n', { code: 'yaml-alias', line: 2, column: 4 }],
    [
      'an alias inside its own anchor',
      'a: &a\n  - *a\n',
      { code: 'yaml-alias', line: 2, column: 5 },
    ],
    [
      'a key that is an alias or a list',
      'x: &a 1\n*a : 2\n',
      { code: 'yaml-key', line: 2, column: 1 },
    ],
    ['too much nesting', `a: ${'['.repeat(1_000_000)}`, { code: 'too-deep', line: 1, column: 603 }],
  ])('tells line and column of %s', (_, text, expected) => {
    expect(firstOf(text)).toEqual(expected);
  });

  it('reads a JSON file indented with tabs', () => {
    const { document, findings } = parseYamlSource('{\n\t"a": [\n\t\t1\n\t]\n}\n');
    expect(findings).toEqual([]);
    expect(document?.toJS()).toEqual({ a: [1] });
  });

  it('stops an alias bomb at the line where it explodes, before expanding it', () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 20; i++)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(',')}]`,
      );
    expect(firstOf(lines.join('\n'))).toEqual({ code: 'yaml-alias-bomb', line: 6, column: 9 });
  });

  it('refuses a chain of aliases that is deeper than JSON may be', () => {
    const lines = ['a0: &a0 [x]'];
    for (let i = 1; i < 400; i++) lines.push(`a${i}: &a${i} [*a${i - 1}]`);
    expect(firstOf(lines.join('\n')).code).toBe('too-deep');
  });

  it('finds a duplicate among very many keys without comparing each with each', () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`);
    expect(firstOf([...keys, 'k7: 2'].join('\n'))).toEqual({
      code: 'yaml-duplicate-key',
      line: 20_001,
      column: 1,
    });
  });

  it('leads a path to its key, and a missing one to the nearest key above it', () => {
    const { positionOf } = parseYamlSource(
      'roles:\n  plan:\n    goal: x\n  list:\n    - one\n    - two\n',
    );
    expect(positionOf(['roles', 'plan', 'goal'])).toEqual({ line: 3, column: 5 });
    expect(positionOf(['roles', 'plan', 'absent', 'deeper'])).toEqual({ line: 2, column: 3 });
    expect(positionOf(['roles', 'list', 1])).toEqual({ line: 6, column: 7 });
    expect(positionOf(['nothing'])).toEqual({ line: 1, column: 1 });
  });

  it('follows aliases when it looks for a position', () => {
    const { positionOf } = parseYamlSource('base: &b\n  x: 1\nother: *b\n');
    expect(positionOf(['other', 'x'])).toEqual({ line: 2, column: 3 });
  });

  it('does not count a byte order mark as a column', () => {
    expect(firstOf('\ufeffa: *x')).toEqual({ code: 'yaml-alias', line: 1, column: 4 });
  });

  it('never throws and always points into the text', () => {
    const piece = fc.constantFrom(
      'a',
      ': ',
      '\n',
      '  ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '&a ',
      '*a',
      '#',
      '|',
      '\t',
      '?',
      '!x ',
      '---\n',
      '\0',
      ',',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        const lines = text.split('\n');
        const source = parseYamlSource(text);
        for (const { line, column } of source.findings) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines.length);
          expect(column).toBeGreaterThanOrEqual(1);
        }
        const clean = !source.findings.some((finding) => finding.severity === 'error');
        if (clean) source.document?.toJS({ maxAliasCount: -1 });
      }),
      { numRuns: 2000 },
    );
  });
});
