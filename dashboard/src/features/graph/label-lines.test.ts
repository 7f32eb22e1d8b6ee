import { describe, expect, it } from 'vitest';
import { isCut, type LabelLine, labelLines, labelSize, linesWhenTaken } from './label-lines.js';

const edge = (...conditions: string[]) => ({
  from: 'a',
  to: 'b',
  conditions: conditions.map((condition) => ({ condition, description: null })),
});

const texts = (lines: LabelLine[]) => lines.map(({ text }) => text);
const line = (text: string): LabelLine => ({ text, condition: text });

describe('labelLines', () => {
  it('writes nothing at the only way, which is always taken', () => {
    expect(labelLines(edge('_'), true, false)).toEqual([]);
    expect(labelLines(edge('done'), true, false)).toEqual([line('done')]);
  });

  it('says in words what holds in every case', () => {
    expect(texts(labelLines(edge('_'), false, false))).toEqual(['always']);
    expect(texts(labelLines(edge('FALLBACK'), false, false))).toEqual(['otherwise']);
  });

  it('counts what has no line of its own', () => {
    const down = (...conditions: string[]) => texts(labelLines(edge(...conditions), false, false));
    expect(down('a', 'b', 'c')).toEqual(['a', 'b', 'c']);
    expect(down('a', 'b', 'c', 'd')).toEqual(['a', 'b', '+2 more']);
    expect(texts(labelLines(edge('a', 'b', 'c'), false, true))).toEqual(['a +2']);
  });
});

describe('linesWhenTaken', () => {
  it('has the condition under which it was taken, whichever had a line', () => {
    const many = edge('a', 'b', 'c', 'd');
    const when = (isAside: boolean, condition: string) => {
      const lines = labelLines(many, false, isAside);
      return texts(linesWhenTaken({ ...many, lines }, condition));
    };
    expect(when(false, 'b')).toEqual(['a', 'b', '+2 more']);
    expect(when(false, 'd')).toEqual(['d', 'b', '+2 more']);
    expect(when(true, 'a')).toEqual(['a +3']);
    expect(when(true, 'd')).toEqual(['d +3']);
    expect(linesWhenTaken({ ...edge('_'), lines: [] }, '_')).toEqual([]);
  });
});

describe('isCut', () => {
  it('is so where a description, a condition or the end of a word is missing', () => {
    const cut = (...conditions: string[]) =>
      isCut(edge(...conditions), labelLines(edge(...conditions), false, true));
    expect(cut('done')).toBe(false);
    expect(cut('done', 'failed')).toBe(true);
    expect(cut('a-condition-with-a-long-name')).toBe(true);
    const told = { ...edge(), conditions: [{ condition: 'done', description: 'All is done.' }] };
    expect(isCut(told, [line('done')])).toBe(true);
  });
});

describe('labelSize', () => {
  it('is nothing for nothing and bounded for a long one', () => {
    expect(labelSize([])).toBeNull();
    expect(labelSize([line('x'.repeat(1_000))])?.width).toBe(
      labelSize([line('x'.repeat(100))])?.width,
    );
  });
});
