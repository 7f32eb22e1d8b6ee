import { describe, expect, it } from 'vitest';
import { isCut, labelLines, labelSize } from './label-lines.js';

const edge = (...conditions: string[]) => ({
  from: 'a',
  to: 'b',
  conditions: conditions.map((condition) => ({ condition, description: null })),
});

describe('labelLines', () => {
  it('writes nothing at the only way, which is always taken', () => {
    expect(labelLines(edge('_'), true, false)).toEqual([]);
    expect(labelLines(edge('done'), true, false)).toEqual(['done']);
  });

  it('says in words what holds in every case', () => {
    expect(labelLines(edge('_'), false, false)).toEqual(['always']);
    expect(labelLines(edge('FALLBACK'), false, false)).toEqual(['otherwise']);
  });

  it('counts what has no line of its own', () => {
    expect(labelLines(edge('a', 'b', 'c'), false, false)).toEqual(['a', 'b', 'c']);
    expect(labelLines(edge('a', 'b', 'c', 'd'), false, false)).toEqual(['a', 'b', '+2 more']);
    expect(labelLines(edge('a', 'b', 'c'), false, true)).toEqual(['a +2']);
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
    expect(isCut(told, ['done'])).toBe(true);
  });
});

describe('labelSize', () => {
  it('is nothing for nothing and bounded for a long one', () => {
    expect(labelSize([])).toBeNull();
    expect(labelSize(['x'.repeat(1_000)])?.width).toBe(labelSize(['x'.repeat(100)])?.width);
  });
});
