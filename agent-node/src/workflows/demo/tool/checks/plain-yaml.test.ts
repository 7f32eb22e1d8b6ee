import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isPlainYaml } from './plain-yaml.js';

describe('isPlainYaml', () => {
  it('knows the kind of file that most are', () => {
    const text = [
      '# Pipeline',
      'name: build and test',
      'on:',
      '  push:',
      '    branches: [main, "release/*"] # both',
      'env: {}',
      'jobs:',
      '- name: one',
      '  run: |',
      '    echo "a: b" # {{ not a template }}',
      '',
      '      deeper',
      '  with: { }',
      '- "two"',
      "- 'it''s'",
      '-',
      '  - nested',
      'last: https://example.org/a?b=c',
      '---',
      '- x',
      '',
    ].join('\n');
    expect(isPlainYaml(text)).toBe(true);
    expect(isPlainYaml(text.replaceAll('\n', '\r\n'))).toBe(true);
  });

  it('leaves what is wrong or less plain to the full parser', () => {
    for (const text of [
      'a: 1\na: 2\n',
      '"a": 1\na: 2\n',
      '  a: 1\nb: 2\n',
      'a: 1\n  b: 2\n',
      'a: b: c\n',
      'a: [1\n',
      'a: "x\n',
      'a: *b\n',
      'a: |\n   x\n  y\n',
      'a:\n\tb: 1\n',
      '- a\nb: 1\n',
      'a: @x\n',
      '@a: x\n',
      'text\n',
    ]) {
      expect(isPlainYaml(text), text).toBe(false);
    }
  });

  it('never calls a text valid that the full parser refuses', () => {
    const line = fc
      .tuple(
        fc.constantFrom('', '', ' ', '  ', '  ', '    '),
        fc.constantFrom('', '', '', '- ', '- - ', '-'),
        fc.constantFrom('', 'a:', 'b:', '"a":', 'c d :', '---', '#c'),
        fc.constantFrom(
          '',
          '',
          ' x',
          ' 1',
          ' "q"',
          ' |',
          ' >-',
          ' [a, b]',
          ' {}',
          ' -',
          ' # c',
          ' a: b',
          ' "',
          ' [',
          '\t',
        ),
      )
      .map((parts) => parts.join(''));
    const end = fc.constantFrom('\n', '\n', '\n', '\r\n', '\n\n');
    const texts = fc
      .array(fc.tuple(line, end), { maxLength: 7 })
      .map((lines) => lines.flat().join(''));
    let plain = 0;
    fc.assert(
      fc.property(texts, (text) => {
        if (!isPlainYaml(text)) return;
        plain += 1;
        const documents = parseAllDocuments(text, { merge: true, logLevel: 'silent' });
        const errors = Array.isArray(documents) ? documents.flatMap((one) => one.errors) : [];
        expect(errors, JSON.stringify(text)).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
    expect(plain).toBeGreaterThan(100);
  });
});
