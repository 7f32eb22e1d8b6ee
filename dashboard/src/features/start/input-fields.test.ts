import { describe, expect, it } from 'vitest';
import { inputFields, readInputs, readJsonObject } from './input-fields.js';

const fields = inputFields({
  type: 'object',
  properties: {
    area: { type: 'string', default: 'docs' },
    depth: { enum: ['quick', 'thorough'] },
    rounds: { type: 'integer' },
    dry: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    id: { type: 'string' },
  },
  required: ['id'],
})!;

describe('a form of inputs', () => {
  it('has a control for each field', () => {
    expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
      ['area', 'text'],
      ['depth', 'choice'],
      ['rounds', 'integer'],
      ['dry', 'boolean'],
      ['tags', 'json'],
      ['id', 'text'],
    ]);
  });

  it('reads each value as its type and leaves out what is empty', () => {
    const typed = { depth: '', rounds: '3', dry: 'false', tags: '["a"]', id: '7' };
    expect(readInputs(fields, typed)).toEqual({
      ok: true,
      inputs: { area: 'docs', rounds: 3, dry: false, tags: ['a'], id: '7' },
    });
  });

  it('says at each field what is wrong', () => {
    const read = readInputs(fields, { rounds: '1.5', tags: '[', id: ' ' });
    expect(read).toMatchObject({
      ok: false,
      problems: { rounds: expect.any(String), tags: expect.any(String), id: expect.any(String) },
    });
  });

  it('cannot be made of every schema: then JSON is typed', () => {
    expect(inputFields(null)).toBeNull();
    expect(inputFields({ oneOf: [] })).toBeNull();
  });
});

describe('inputs as JSON', () => {
  it('are an object or nothing', () => {
    expect(readJsonObject('  ')).toEqual({ value: null });
    expect(readJsonObject('{"a": 1}')).toEqual({ value: { a: 1 } });
    for (const text of ['[1]', '"x"', 'null', '{'])
      expect(readJsonObject(text)).toHaveProperty('problem');
  });
});
