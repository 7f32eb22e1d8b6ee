import { describe, expect, it } from 'vitest';
import { LineCounter } from 'yaml';
import { composeYaml } from './compose.js';

describe('composeYaml', () => {
  it('gives one document even for no text', () => {
    const composed = composeYaml('', { uniqueKeys: true });
    expect(composed).toHaveProperty('documents.length', 1);
  });

  it.each([
    ['brackets', '['.repeat(50_000)],
    ['braces', '{a: '.repeat(50_000)],
    ['dashes', '- '.repeat(50_000)],
    ['indents', Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('stops at %s nested too deep, instead of ending the process', (_, text) => {
    expect(composeYaml(text, { uniqueKeys: true })).toHaveProperty('tooDeepAt');
  });

  it('knows the lines of what it read', () => {
    const lines = new LineCounter();
    composeYaml('a: 1\nb: 2\n', { uniqueKeys: true, lines });
    expect(lines.linePos(5)).toEqual({ line: 2, col: 1 });
  });

  it('refuses a key twice only when told to', () => {
    const errors = (uniqueKeys: boolean) => {
      const composed = composeYaml('a: 1\na: 2\n', { uniqueKeys });
      return 'documents' in composed ? composed.documents[0]?.errors.length : null;
    };
    expect([errors(true), errors(false)]).toEqual([1, 0]);
  });
});
