import { describe, expect, it } from 'vitest';
import { judgeYaml } from './yaml-syntax.js';

describe('judgeYaml', () => {
  it('takes several documents, unknown tags and merge keys', async () => {
    const text = 'base: &b {x: 1}\none:\n  <<: *b\n---\nr: !Ref thing\n---\n';
    expect(await judgeYaml(text)).toEqual({ faults: [] });
  });

  it('names the line of the fault in a later document', async () => {
    expect(await judgeYaml('a: 1\n---\nb: 1\nb: 2\n')).toMatchObject({ faults: [{ line: 4 }] });
  });

  it('leaves templates alone', async () => {
    expect(await judgeYaml('a: {{ .Values.x }}\n{{- if y }}\n')).toEqual({
      skipped: 'with template marks',
    });
  });

  it('gives up on nesting made to break parsers and never expands aliases', async () => {
    const deep = ['[', '{a: ', '- ', '? '].map((piece) => piece.repeat(50_000));
    deep.push(Array.from({ length: 1_000 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'));
    for (const text of deep) {
      expect(await judgeYaml(text)).toEqual({ skipped: 'nested too deeply to parse' });
    }
    const bomb = ['a0: &a0 [x]'];
    for (let n = 1; n < 40; n += 1) bomb.push(`a${n}: &a${n} [*a${n - 1}, *a${n - 1}, *a${n - 1}]`);
    expect(await judgeYaml(bomb.join('\n'))).toEqual({ faults: [] });
  });
});
