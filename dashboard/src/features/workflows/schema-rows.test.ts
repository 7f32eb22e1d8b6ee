import { describe, expect, it } from 'vitest';
import { schemaRows, typeInWords } from './schema-rows.js';

describe('schemaRows', () => {
  it('is a row per field, with what is inside indented', () => {
    const rows = schemaRows({
      type: 'object',
      properties: {
        $status: { enum: ['done', 'stuck'] },
        files: {
          type: 'array',
          items: { type: 'object', properties: { path: { type: 'string' } } },
        },
      },
      required: ['$status'],
    });
    expect(rows).toEqual([
      {
        depth: 0,
        name: '$status',
        type: 'one of "done", "stuck"',
        required: true,
        description: '',
      },
      { depth: 0, name: 'files', type: 'list of object', required: false, description: '' },
      { depth: 1, name: 'path', type: 'text', required: false, description: '' },
    ]);
  });

  it('names the forms of a schema that has several', () => {
    const rows = schemaRows({
      oneOf: [
        { properties: { $status: { const: 'done' }, files: { type: 'array' } } },
        { properties: { $status: { const: 'stuck' }, why: { type: 'string' } } },
      ],
    });
    expect(rows.map(({ depth, name }) => `${depth} ${name}`)).toEqual([
      '0 $status = done',
      '1 $status',
      '1 files',
      '0 $status = stuck',
      '1 $status',
      '1 why',
    ]);
  });

  it('is empty for a role that answers anything, and for what is no schema', () => {
    expect(schemaRows({})).toEqual([]);
    expect(schemaRows({ properties: null, oneOf: 'x' })).toEqual([]);
  });
});

describe('typeInWords', () => {
  it.each([
    [{ type: 'string', casRef: true }, 'stored text'],
    [{ type: ['string', 'null'] }, 'text or null'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'whole number or null'],
    [{ type: 'array' }, 'list'],
    [{}, 'anything'],
  ])('says %j as %s', (schema, words) => {
    expect(typeInWords(schema)).toBe(words);
  });
});
